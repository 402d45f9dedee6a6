// A PNG of the view. For scripts: `picture(view, 1280, 800)` draws at that size whatever the window's is.
import type { View } from './view';

export async function picture(view: View, width?: number, height?: number): Promise<Blob> {
  const { size, renderer } = view;
  const ratio = renderer.getPixelRatio();
  const wide = Math.round(width ?? size.width * ratio),
    tall = Math.round(height ?? size.height * ratio);
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [wide, tall];
  const context = copy.getContext('2d');
  if (!context) throw new Error('the browser has no memory for a picture');
  try {
    // Twice as fine, then made smaller: smoother than the canvas' own edges.
    const fine = Math.max(1, Math.min(2, 4096 / Math.max(wide, tall)));
    if (width === undefined) view.setSize(size.width, size.height, ratio);
    else view.setSize(wide, tall, fine);
    view.draw();
    // At once: the canvas' content is gone when this task ends.
    context.imageSmoothingQuality = 'high';
    context.drawImage(view.canvas, 0, 0, wide, tall);
  } finally {
    view.setSize(size.width, size.height, ratio);
    view.draw();
  }
  return new Promise((resolve, reject) => copy.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be written'))), 'image/png'));
}
