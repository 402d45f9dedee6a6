// Small pictures that are drawn once, on a canvas.
import { CanvasTexture, LinearFilter, SRGBColorSpace, Texture } from 'three';
import { snowflake } from '../store/signs';

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

function disc(c: CanvasRenderingContext2D, radius: number, fill: string | null, line: string | null = null, width = 0): void {
  c.beginPath();
  c.arc(0, 0, radius, 0, 2 * Math.PI);
  if (fill) {
    c.fillStyle = fill;
    c.fill();
  }
  if (line) {
    c.lineWidth = width;
    c.strokeStyle = line;
    c.stroke();
  }
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
    disc(c, 25, null, '#15181d', 4);
    disc(c, 28.5, null, '#ffffff', 3);
  });

export const snowflakeSign = () =>
  drawn(64, (c) => {
    c.translate(32, 32);
    disc(c, 29, '#1272c4');
    // The panels' glyph: 16 across.
    c.scale(3.2, 3.2);
    c.translate(-8, -8);
    c.strokeStyle = '#ffffff';
    c.lineWidth = 1.2;
    c.lineCap = 'round';
    c.stroke(new Path2D(snowflake));
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
    disc(c, 20, '#ffffff', '#d6316f', 9);
  });
