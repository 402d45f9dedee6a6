// Small pictures that are drawn once, on a canvas.
import { CanvasTexture, LinearFilter, SRGBColorSpace, Texture } from 'three';

function drawn(size: number, draw: (context: CanvasRenderingContext2D) => void): Texture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  const context = canvas.getContext('2d');
  if (context) draw(context);
  const texture = new CanvasTexture(canvas);
  texture.minFilter = LinearFilter;
  texture.generateMipmaps = false;
  texture.colorSpace = SRGBColorSpace;
  return texture;
}

// The usual sign of a centre of mass: a circle in quarters.
export const centreSign = () =>
  drawn(64, (c) => {
    c.translate(32, 32);
    for (let k = 0; k < 4; ++k) {
      c.beginPath();
      c.moveTo(0, 0);
      c.arc(0, 0, 24, (k * Math.PI) / 2, ((k + 1) * Math.PI) / 2);
      c.fillStyle = k % 2 ? '#15181d' : '#ffffff';
      c.fill();
    }
    c.beginPath();
    c.arc(0, 0, 25, 0, 2 * Math.PI);
    c.lineWidth = 4;
    c.strokeStyle = '#15181d';
    c.stroke();
    c.beginPath();
    c.arc(0, 0, 28.5, 0, 2 * Math.PI);
    c.lineWidth = 3;
    c.strokeStyle = '#ffffff';
    c.stroke();
  });

export const snowflakeSign = () =>
  drawn(64, (c) => {
    c.translate(32, 32);
    c.beginPath();
    c.arc(0, 0, 29, 0, 2 * Math.PI);
    c.fillStyle = '#1272c4';
    c.fill();
    c.strokeStyle = '#ffffff';
    c.lineWidth = 3.6;
    c.lineCap = 'round';
    for (let k = 0; k < 6; ++k) {
      c.rotate(Math.PI / 3);
      c.beginPath();
      c.moveTo(0, 0);
      c.lineTo(0, -21);
      c.moveTo(-6, -18);
      c.lineTo(0, -12);
      c.lineTo(6, -18);
      c.stroke();
    }
  });

export const haloSign = () =>
  drawn(128, (c) => {
    const glow = c.createRadialGradient(64, 64, 6, 64, 64, 62);
    glow.addColorStop(0, 'rgba(255,255,255,0.95)');
    glow.addColorStop(0.28, 'rgba(255,255,255,0.5)');
    glow.addColorStop(1, 'rgba(255,255,255,0)');
    c.fillStyle = glow;
    c.fillRect(0, 0, 128, 128);
  });

// Where a hand holds, and where it is.
export const handSign = () =>
  drawn(64, (c) => {
    c.translate(32, 32);
    c.beginPath();
    c.arc(0, 0, 20, 0, 2 * Math.PI);
    c.fillStyle = '#ffffff';
    c.fill();
    c.lineWidth = 9;
    c.strokeStyle = '#d6316f';
    c.stroke();
  });
