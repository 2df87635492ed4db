-- The databases of the services; catalogs get databases of their own from the catalog service.
create database holdfast_registry;
create database holdfast_objectstore;
create database holdfast_export;
create database holdfast_identity;
