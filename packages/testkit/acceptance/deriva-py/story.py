"""
What people do with deriva-py, the Python client of the protocol family: models, data paths, objects, uploads, exports, backup and restore.

    python story.py URL DIRECTORY TOKEN

URL is the front door of a server in the deriva profile, DIRECTORY an empty one for files, TOKEN that of a client who may create catalogs and,
at the root of the object store, namespaces. Writes a line of JSON for each step: its name, and null or what went wrong.
"""
import filecmp
import json
import os
import sys
import traceback
import uuid
from urllib.parse import urlsplit

from bdbag import bdbag_api
from deriva.core import DerivaServer, HatracStore
from deriva.core import ermrest_model as em
from deriva.core.datapath import Array, Avg, Bin, Cnt, CntD, Max, Min, Sum, simple_denormalization
from deriva.transfer.backup.deriva_backup import DerivaBackup
from deriva.transfer.download.deriva_download import GenericDownloader
from deriva.transfer.download.deriva_export import DerivaExport
from deriva.transfer.restore.deriva_restore import DerivaRestore
from deriva.transfer.upload.deriva_upload import GenericUploader

url, directory, token = sys.argv[1:]
scheme, host = urlsplit(url)[:2]
credentials = {"bearer-token": token}
server = DerivaServer(scheme, host, credentials=credentials)
store = HatracStore(scheme, host, credentials=credentials)
catalog = server.create_ermrest_catalog()
address = {"protocol": scheme, "host": host, "catalog_id": catalog.catalog_id}
namespace = "/hatrac/deriva-py-" + uuid.uuid4().hex
types = em.builtin_types


def step(work):
    """Runs a step at once, and tells how it went."""
    fault = None
    try:
        work()
    except Exception as error:
        fault = "".join(traceback.format_exception(error))
    print(json.dumps({"step": work.__name__.replace("_", " "), "fault": fault}), flush=True)


def path(*names):
    return os.path.join(directory, *names)


def same(one, other):
    assert one == other, f"{one!r} is not {other!r}"


def tables():
    return catalog.getPathBuilder().schemas["S"].tables


@step
def makes_schemas_and_tables():
    schema = catalog.getCatalogModel().create_schema(em.Schema.define("S", "of a test"))
    subject = schema.create_table(
        em.Table.define(
            "Subject",
            [
                em.Column.define("name", types.text, nullok=False),
                em.Column.define("age", types.int4),
                em.Column.define("born", types.date),
                em.Column.define("doc", types.jsonb),
                em.Column.define("tags", types["text[]"]),
            ],
            [em.Key.define(["name"])],
        )
    )
    species = schema.create_table(em.Table.define_vocabulary("Species", "S:{RID}"))
    schema.create_table(em.Table.define_asset("S", "Image", column_defs=[em.Column.define("subject", types.text)]))
    schema.create_table(em.Table.define_association([("Subject", subject), ("Species", species)]))
    reference = em.ForeignKey.define(["subject"], "S", "Subject", ["name"], on_update="CASCADE", on_delete="SET NULL")
    columns = [em.Column.define("subject", types.text), em.Column.define("weight", types.float8)]
    schema.create_table(em.Table.define("Sample", columns, fkey_defs=[reference]))
    found = catalog.getCatalogModel().schemas["S"].tables
    same(sorted(found), ["Image", "Sample", "Species", "Subject", "Subject_Species"])


@step
def changes_the_model():
    model = catalog.getCatalogModel()
    table = model.schemas["S"].tables["Subject"]
    table.create_column(em.Column.define("note", types.markdown))
    table.columns["note"].alter(name="remark", comment="of anybody")
    table.annotations["tag:misd.isi.edu,2015:display"] = {"name": "Subjects"}
    table.acls["select"] = ["*"]
    table.acl_bindings["own"] = {"types": ["owner"], "projection": ["RCB"], "projection_type": "acl", "scope_acl": ["*"]}
    model.apply()
    table = catalog.getCatalogModel().schemas["S"].tables["Subject"]
    same(table.annotations["tag:misd.isi.edu,2015:display"], {"name": "Subjects"})
    same((table.acls["select"], table.acl_bindings["own"]["types"]), (["*"], ["owner"]))
    same(table.columns["remark"].comment, "of anybody")
    table.create_key(em.Key.define(["name", "age"])).drop()
    table.columns["remark"].drop()
    assert "remark" not in catalog.getCatalogModel().schemas["S"].tables["Subject"].columns.elements


@step
def inserts_and_updates():
    doc = {"a": [1, None, "x"]}
    subjects = [{"name": f"s{i}", "age": i, "born": "2020-01-02", "doc": doc, "tags": ["a", 'b "q"']} for i in range(50)]
    inserted = tables()["Subject"].insert(subjects)
    same((len(inserted), inserted[0]["doc"], inserted[0]["tags"]), (50, doc, ["a", 'b "q"']))
    term = tables()["Species"].insert([{"Name": "Rat", "Description": "a rat"}], defaults={"ID", "URI"})[0]
    same(term["ID"], "S:" + term["RID"])
    tables()["Sample"].insert([{"subject": f"s{i % 5}", "weight": i / 4} for i in range(200)])
    again = tables()["Subject"].insert([{"name": "s1"}, {"name": "new"}], on_conflict_skip=True)
    same([row["name"] for row in again], ["new"])
    updated = tables()["Subject"].update([{"name": "s1", "age": 77}], correlation={"name"}, targets=["age"])
    same([row["age"] for row in updated], [77])
    tables()["Subject"].path.filter(tables()["Subject"].name == "new").delete()
    same(len(tables()["Subject"].entities()), 50)


@step
def follows_paths():
    found = tables()
    subject, sample = found["Subject"], found["Sample"]
    named = (subject.name == "s4") | (subject.name == "s3") | subject.name.ciregexp("^S2$")
    same(len(subject.path.filter(subject.age < 5).filter(named).link(sample).entities()), 120)
    same(len(subject.filter(~(subject.name == "s1")).entities()), 49)
    same([row["name"] for row in subject.entities().sort(subject.name.desc).fetch(limit=2)], ["s9", "s8"])
    a, b = subject.alias("A"), sample.alias("B")
    # one row for each sample, and one for all subjects without any
    outer = a.path.link(b, on=(a.name == b.subject), join_type="left")
    rows = list(outer.attributes(outer.A.name, outer.B.weight.alias("w")).sort(outer.A.name))
    same((len(rows), len([row for row in rows if row["w"] is None])), (201, 1))
    same(len(list(sample.path.denormalize(heuristic=simple_denormalization))), 200)


@step
def aggregates():
    at = tables()["Sample"].path
    weight = at.Sample.weight
    functions = [Min(weight).alias("lo"), Max(weight).alias("hi"), Cnt(at.Sample).alias("n"), Avg(weight).alias("avg")]
    whole = at.aggregates(*functions, CntD(at.Sample.subject).alias("d"), Sum(weight).alias("sum"))[0]
    same(whole, {"lo": 0, "hi": 49.75, "n": 200, "avg": 24.875, "d": 5, "sum": 4975})
    groups = at.groupby(at.Sample.subject).attributes(Array(weight).alias("all")).sort(at.Sample.subject)
    same([(row["subject"], len(row["all"])) for row in groups], [(f"s{i}", 40) for i in range(5)])
    bins = at.groupby(Bin(weight, 5, 0, 50).alias("bin")).attributes(Cnt(at.Sample.RID).alias("n"))
    same(sorted((row["bin"], row["n"]) for row in bins), [([i + 1, 10 * i, 10 * i + 10], 40) for i in range(5)])


@step
def downloads_tables_in_pages():
    to = path("subjects")
    catalog.getAsFile("/entity/S:Subject@sort(name)", to, headers={"accept": "text/csv"})
    with open(to) as file:
        same(file.readline().rstrip(), "RID,RCT,RMT,RCB,RMB,name,age,born,doc,tags")
    pages = {"paged": True, "page_size": 7, "page_sort_columns": ["RID"]}
    catalog.getAsFile("/entity/S:Subject@sort(name)", to, headers={"accept": "application/json"}, **pages)
    with open(to) as file:
        same(len({row["name"] for row in json.load(file)}), 50)


@step
def reads_snapshots_aliases_and_ids():
    snapshot = catalog.latest_snapshot()
    tables()["Subject"].insert([{"name": "later"}])
    same(len(snapshot.getPathBuilder().schemas["S"].tables["Subject"].entities()), 50)
    me = server.get_authn_session().json()["client"]["id"]
    alias = server.create_ermrest_alias(id="a" + uuid.uuid4().hex, owner=[me], alias_target=catalog.catalog_id)
    same(server.connect_ermrest(alias.retrieve()["id"]).get("/entity/S:Subject/name=later").json()[0]["name"], "later")
    alias.delete_ermrest_alias(really=True)
    row = catalog.get("/entity/S:Subject/name=later").json()[0]
    same(catalog.resolve_rid(row["RID"]).table.name, "Subject")
    catalog.delete("/entity/S:Subject/name=later")


@step
def clones_a_catalog():
    clone = catalog.clone_catalog(copy_data=True)
    rids = [sorted(row["RID"] for row in one.get("/entity/S:Sample").json()) for one in (catalog, clone)]
    same(*rids)
    clone.delete_ermrest_catalog(really=True)


@step
def keeps_objects():
    store.create_namespace(namespace + "/deep", parents=True)
    for name, content in {"small": b"small\n", "large": os.urandom(12_000_017)}.items():
        with open(path(name), "wb") as file:
            file.write(content)
    version = store.put_obj(namespace + "/small", path("small"))
    same(store.put_obj(namespace + "/small", path("small")), version)
    assert store.content_equals(namespace + "/small", path("small"))
    store.put_loc(namespace + "/new/large", path("large"), chunked=True, chunk_size=5_000_000, create_parents=True)
    store.get_obj(namespace + "/new/large", destfilename=path("back"))
    assert filecmp.cmp(path("large"), path("back"), shallow=False)
    store.set_acl(namespace + "/small", "read", ["bob"])
    store.set_acl(namespace + "/small", "read", ["carol"], add_role=True)
    store.del_acl(namespace + "/small", "read", "bob")
    same(store.get_acl(namespace + "/small", "read"), {"read": ["carol"]})
    store.rename_obj(namespace + "/small", namespace + "/deep/moved")
    same(store.get_obj(namespace + "/deep/moved").text, "small\n")
    store.del_obj(namespace + "/deep/moved")
    store.delete_namespace(namespace + "/deep")
    assert namespace + "/deep" not in store.retrieve_namespace(namespace)


@step
def uploads_files_with_their_records():
    os.makedirs(path("files", "S", "Image"))
    for number in range(3):
        with open(path("files", "S", "Image", f"s{number}.img.txt"), "w") as file:
            file.write(f"image {number}\n" * 1000)
    mapping = {
        "column_map": {
            "MD5": "{md5}",
            "URL": "{URI}",
            "Length": "{file_size}",
            "Filename": "{file_name}",
            "subject": "{subject}",
        },
        "dir_pattern": "^.*/files/S/Image",
        "ext_pattern": ".txt$",
        "file_pattern": "(?P<subject>s\\d+)\\.img",
        "target_table": ["S", "Image"],
        "checksum_types": ["md5"],
        "hatrac_templates": {
            "hatrac_uri": namespace + "/{md5}.{file_name}",
            "content-disposition": "filename*=UTF-8''{file_name}",
        },
        "hatrac_options": {"versioned_urls": True},
        "record_query_template": "/entity/{target_table}/MD5={md5}",
        "create_record_before_upload": False,
    }
    with open(path("upload.json"), "w") as file:
        json.dump({"asset_mappings": [mapping], "version_compatibility": [[">=0.0.1"]], "version_update_url": ""}, file)
    uploader = GenericUploader(config_file=path("upload.json"), server=address)
    uploader.setCredentials(credentials)
    uploader.scanDirectory(path("files"), abort_on_invalid_input=False)
    uploader.uploadFiles(file_callback=None)
    images = catalog.get("/entity/S:Image@sort(subject)").json()
    same([image["subject"] for image in images], ["s0", "s1", "s2"])
    same(store.get_obj(images[0]["URL"]).text, "image 0\n" * 1000)
    # for whoever fetches what a bag refers to
    store.set_acl(namespace, "subtree-read", ["*"])


assets = "/attribute/S:Image/url:=URL,length:=Length,filename:=Filename,md5:=MD5"


def query(processor, query_path, output_path):
    return {"processor": processor, "processor_params": {"query_path": query_path, "output_path": output_path}}


def configuration(*processors, **bag):
    queries = [query("csv", "/entity/S:Subject", "subjects"), query("json", "/entity/S:Sample", "samples"), *processors]
    return {**bag, "catalog": {"catalog_id": catalog.catalog_id, "query_processors": queries}}


def exported(kind, document, **options):
    document["catalog"]["host"] = url
    with open(path("export.json"), "w") as file:
        json.dump(document, file)
    export = DerivaExport(host=host, config_file=path("export.json"), credential=credentials, output_dir=directory, export_type=kind, **options)
    # the client would take https
    export.auth_service_url = url + "/authn/session"
    export.service_url = url + "/deriva/export/" + kind
    return export.export()


@step
def exports_bags_and_files():
    bag = {"bag_name": "exported", "bag_archiver": "zip", "bag_algorithms": ["md5", "sha256"]}
    archive = exported("bdbag", configuration(query("fetch", assets, "assets"), bag=bag))
    opened = bdbag_api.extract_bag(archive, path("opened"))
    assert bdbag_api.resolve_fetch(opened, force=True)
    bdbag_api.validate_bag(opened, fast=False)
    same(sorted(os.listdir(os.path.join(opened, "data"))), ["assets", "samples.json", "subjects.csv"])
    urls = [line for line in exported("file", configuration(), defer_download=True) if line]
    same([one.rsplit("/", 1)[1] for one in urls], ["subjects.csv", "samples.json"])


@step
def downloads_by_the_same_configuration():
    bag = {"bag_name": "downloaded", "bag_archiver": "zip", "bag_algorithms": ["md5"]}
    document = configuration(query("download", assets, "assets"), bag=bag)
    downloader = GenericDownloader(address, output_dir=path("downloads"), config=document, credentials=credentials)
    assert downloader.download()


@step
def backs_up_and_restores():
    backup = DerivaBackup(address, output_dir=path("backup"), credentials=credentials)
    (archive,) = [output["local_path"] for output in backup.download().values()]
    target = {"protocol": scheme, "host": host}
    restore = DerivaRestore(target, input_path=archive, token=token, no_assets=True, weak_bag_validation=True)
    restore.credentials = credentials
    restore.server.set_credentials(credentials, host)
    restore.restore()
    rows = [one.get("/attribute/S:Subject/RID,RCT,RCB,name,doc@sort(RID)").json() for one in (catalog, restore.dst_catalog)]
    same(*rows)
    restore.dst_catalog.delete_ermrest_catalog(really=True)


@step
def removes_the_catalog():
    catalog.delete_ermrest_catalog(really=True)
