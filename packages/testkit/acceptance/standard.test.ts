import { describeMainWay } from './main-way.js';

describeMainWay('standard');
