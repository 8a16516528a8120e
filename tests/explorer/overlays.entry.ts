// What the tests of overlays need of the explorer.
export { readOverlay } from '../../explorer/src/overlays/formats';
export { addOverlay } from '../../explorer/src/overlays/overlays';
export { readTrace } from '../../explorer/src/reading';
