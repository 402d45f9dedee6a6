// The floor of the view: a grid that fades out, and the shadows that fall on it.
import { Color, DoubleSide, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector3 } from 'three';
import type { Palette } from './colours';

// A pace of the grid that gives some ten lines across the scene: 1, 2 or 5 times a power of ten.
export function gridPace(extent: number): number {
  const wanted = extent / 4;
  const power = Math.pow(10, Math.floor(Math.log10(wanted)));
  const times = wanted / power;
  return power * (times < 2 ? 1 : times < 5 ? 2 : 5);
}

export class Ground {
  readonly object = new Group();
  private grid: Mesh<PlaneGeometry, ShaderMaterial>;
  private catcher: Mesh<PlaneGeometry, ShadowMaterial>;

  constructor() {
    const plane = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
    this.grid = new Mesh(
      plane,
      new ShaderMaterial({
        uniforms: { colour: { value: new Color() }, strength: { value: 0.4 }, pace: { value: 1 }, centre: { value: new Vector3() }, radius: { value: 10 } },
        vertexShader: `varying vec3 at; void main() { vec4 w = modelMatrix * vec4(position, 1.0); at = w.xyz; gl_Position = projectionMatrix * viewMatrix * w; }`,
        fragmentShader: `
          uniform vec3 colour, centre; uniform float strength, pace, radius; varying vec3 at;
          float lines(float pace) {
            vec2 p = at.xz / pace, w = fwidth(p);
            vec2 d = abs(fract(p - 0.5) - 0.5) / max(w, vec2(1e-6));
            // Lines that come closer than some pixels would only shimmer.
            vec2 seen = (1.0 - clamp(d, 0.0, 1.0)) * (1.0 - smoothstep(vec2(0.15), vec2(0.5), w));
            return max(seen.x, seen.y);
          }
          void main() {
            float fade = 1.0 - smoothstep(0.15, 1.0, distance(at.xz, centre.xz) / radius);
            float a = max(0.45 * lines(pace), lines(5.0 * pace)) * strength * fade * fade;
            if (a < 0.002) discard;
            gl_FragColor = vec4(colour, a);
            #include <colorspace_fragment>
          }`,
        transparent: true,
        depthWrite: false,
        side: DoubleSide,
      }),
    );
    this.catcher = new Mesh(plane, new ShadowMaterial({ opacity: 0.25, transparent: true, depthWrite: false }));
    this.catcher.receiveShadow = true;
    this.catcher.renderOrder = -2;
    this.grid.renderOrder = -1;
    this.grid.raycast = this.catcher.raycast = () => {};
    this.object.add(this.catcher, this.grid);
  }
  setPalette(palette: Palette) {
    this.grid.material.uniforms.colour!.value.set(palette.gridLine);
    this.grid.material.uniforms.strength!.value = palette.gridStrength;
    this.catcher.material.opacity = palette.shadow;
  }
  place(centre: Vector3, height: number, extent: number) {
    const radius = 9 * extent;
    this.object.position.set(centre.x, height, centre.z);
    this.object.scale.set(radius, 1, radius);
    const { uniforms } = this.grid.material;
    uniforms.radius!.value = radius;
    uniforms.centre!.value.copy(this.object.position);
    uniforms.pace!.value = gridPace(extent);
  }
  show(grid: boolean, shadows: boolean) {
    this.grid.visible = grid;
    this.catcher.visible = shadows;
  }
  dispose() {
    this.grid.geometry.dispose();
    this.grid.material.dispose();
    this.catcher.material.dispose();
  }
}
