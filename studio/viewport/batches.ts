// Many small things in one draw call: instances of a geometry, and lines of some pixels' width.
import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  InstancedBufferAttribute,
  InstancedInterleavedBuffer,
  InstancedMesh,
  InterleavedBufferAttribute,
  Material,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Object3D,
  Points,
  ShaderMaterial,
  Sphere,
  Texture,
  Vector3,
} from 'three';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { LineSegments2 } from 'three/examples/jsm/lines/LineSegments2.js';
import { LineSegmentsGeometry } from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

const everywhere = new Sphere(new Vector3(), Infinity);

// Instances that are written anew at each update. With several materials it is drawn once with each: the second
// one shows what is hidden in solids.
export class Instances {
  readonly object = new Group();
  private meshes: InstancedMesh[] = [];
  private capacity = 0;
  private count = 0;
  private matrices = new Float32Array(0);
  private colours = new Float32Array(0);

  constructor(
    private geometry: BufferGeometry,
    private materials: Material[],
    private order = 0,
    private shadows = false,
  ) {
    this.grow(8);
  }
  private grow(capacity: number) {
    const matrices = new Float32Array(16 * capacity),
      colours = new Float32Array(3 * capacity);
    matrices.set(this.matrices);
    colours.set(this.colours);
    [this.matrices, this.colours, this.capacity] = [matrices, colours, capacity];
    for (const mesh of this.meshes) {
      this.object.remove(mesh);
      mesh.dispose();
    }
    const instanceMatrix = new InstancedBufferAttribute(matrices, 16).setUsage(DynamicDrawUsage);
    const instanceColor = new InstancedBufferAttribute(colours, 3).setUsage(DynamicDrawUsage);
    this.meshes = this.materials.map((material, k) => {
      const mesh = new InstancedMesh(this.geometry, material, 0);
      mesh.instanceMatrix = instanceMatrix;
      mesh.instanceColor = instanceColor;
      mesh.frustumCulled = false;
      mesh.boundingSphere = everywhere;
      mesh.renderOrder = this.order + k;
      mesh.castShadow = this.shadows && k === 0;
      mesh.raycast = () => {};
      this.object.add(mesh);
      return mesh;
    });
  }
  begin() {
    this.count = 0;
  }
  add(matrix: Matrix4, colour: Color) {
    if (this.count === this.capacity) this.grow(2 * this.capacity);
    matrix.toArray(this.matrices, 16 * this.count);
    colour.toArray(this.colours, 3 * this.count);
    ++this.count;
  }
  end() {
    for (const mesh of this.meshes) {
      mesh.count = this.count;
      mesh.visible = this.count > 0;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
  dispose() {
    for (const mesh of this.meshes) mesh.dispose();
    this.geometry.dispose();
    for (const material of this.materials) material.dispose();
  }
}

export interface LineLook {
  width: number;
  opacity?: number;
  hidden?: number /* opacity where solids cover it */;
  order?: number;
}

export class Lines {
  readonly object = new Group();
  private geometry = new LineSegmentsGeometry();
  private materials: LineMaterial[] = [];
  private positions = new Float32Array(0);
  private colours = new Float32Array(0);
  private count = 0;
  private capacity = 0;

  constructor(look: LineLook) {
    const pass = (opacity: number, depthTest: boolean, order: number) => {
      const material = new LineMaterial({
        linewidth: look.width,
        vertexColors: true,
        transparent: true,
        opacity,
        depthTest,
        depthWrite: false,
      });
      const lines = new LineSegments2(this.geometry, material);
      lines.frustumCulled = false;
      lines.renderOrder = order;
      lines.raycast = () => {};
      this.materials.push(material);
      this.object.add(lines);
    };
    const order = look.order ?? 10;
    if (look.hidden !== 0) pass(look.hidden ?? 0.22, false, order);
    pass(look.opacity ?? 1, true, order + 1);
    this.grow(64);
  }
  private grow(capacity: number) {
    const positions = new Float32Array(6 * capacity),
      colours = new Float32Array(6 * capacity);
    positions.set(this.positions);
    colours.set(this.colours);
    [this.positions, this.colours, this.capacity] = [positions, colours, capacity];
    const at = new InstancedInterleavedBuffer(positions, 6, 1).setUsage(DynamicDrawUsage) as InstancedInterleavedBuffer;
    const of = new InstancedInterleavedBuffer(colours, 6, 1).setUsage(DynamicDrawUsage) as InstancedInterleavedBuffer;
    this.geometry.dispose();
    this.geometry.setAttribute('instanceStart', new InterleavedBufferAttribute(at, 3, 0));
    this.geometry.setAttribute('instanceEnd', new InterleavedBufferAttribute(at, 3, 3));
    this.geometry.setAttribute('instanceColorStart', new InterleavedBufferAttribute(of, 3, 0));
    this.geometry.setAttribute('instanceColorEnd', new InterleavedBufferAttribute(of, 3, 3));
    this.geometry.boundingSphere = everywhere;
  }
  begin() {
    this.count = 0;
  }
  segment(a: Vector3, b: Vector3, colour: Color) {
    if (this.count === this.capacity) this.grow(2 * this.capacity);
    const at = 6 * this.count++;
    a.toArray(this.positions, at);
    b.toArray(this.positions, at + 3);
    colour.toArray(this.colours, at);
    colour.toArray(this.colours, at + 3);
  }
  path(points: readonly Vector3[], colour: Color, closed = false) {
    for (let i = 0; i + 1 < points.length; ++i) this.segment(points[i]!, points[i + 1]!, colour);
    if (closed && points.length > 2) this.segment(points[points.length - 1]!, points[0]!, colour);
  }
  end() {
    this.geometry.instanceCount = this.count;
    this.object.visible = this.count > 0;
    for (const name of ['instanceStart', 'instanceColorStart'] as const)
      (this.geometry.getAttribute(name) as InterleavedBufferAttribute).data.needsUpdate = true;
  }
  dispose() {
    this.geometry.dispose();
    for (const material of this.materials) material.dispose();
  }
}

// Signs of a constant size on the screen: centres of mass, snowflakes, halos.
export class Signs {
  readonly object: Object3D;
  private geometry = new BufferGeometry();
  private material: ShaderMaterial;
  private positions = new Float32Array(3 * 64);
  private colours = new Float32Array(3 * 64);
  private count = 0;

  constructor(texture: Texture, size: number, options: { order?: number; opacity?: number; plain?: boolean } = {}) {
    this.material = new ShaderMaterial({
      uniforms: { map: { value: texture }, size: { value: size }, opacity: { value: options.opacity ?? 1 }, plain: { value: options.plain ? 1 : 0 } },
      vertexShader: `attribute vec3 tint; varying vec3 vTint; uniform float size;
        void main() { vTint = tint; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); gl_PointSize = size; }`,
      fragmentShader: `uniform sampler2D map; uniform float opacity; uniform float plain; varying vec3 vTint;
        void main() { vec4 t = texture2D(map, gl_PointCoord); if (t.a < 0.01) discard;
          gl_FragColor = vec4(mix(vTint, t.rgb, plain), t.a * opacity);
          #include <colorspace_fragment>
        }`,
      transparent: true,
      depthTest: false,
      depthWrite: false,
    });
    const points = new Points(this.geometry, this.material);
    points.frustumCulled = false;
    points.renderOrder = options.order ?? 30;
    points.raycast = () => {};
    this.object = points;
    this.attach();
  }
  private attach() {
    this.geometry.dispose();
    this.geometry.setAttribute('position', new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute('tint', new BufferAttribute(this.colours, 3).setUsage(DynamicDrawUsage));
  }
  setSize(pixels: number) {
    this.material.uniforms.size!.value = pixels;
  }
  begin() {
    this.count = 0;
  }
  add(at: Vector3, colour: Color) {
    if (3 * this.count === this.positions.length) {
      const positions = new Float32Array(2 * this.positions.length),
        colours = new Float32Array(2 * this.colours.length);
      positions.set(this.positions);
      colours.set(this.colours);
      [this.positions, this.colours] = [positions, colours];
      this.attach();
    }
    at.toArray(this.positions, 3 * this.count);
    colour.toArray(this.colours, 3 * this.count);
    ++this.count;
  }
  end() {
    this.geometry.setDrawRange(0, this.count);
    this.object.visible = this.count > 0;
    this.geometry.getAttribute('position').needsUpdate = true;
    this.geometry.getAttribute('tint').needsUpdate = true;
  }
  dispose() {
    this.geometry.dispose();
    this.material.dispose();
    (this.material.uniforms.map!.value as Texture).dispose();
  }
}

// Translucent faces: sectors of limits, cones, plates.
export class Fills {
  readonly object: Mesh;
  private geometry = new BufferGeometry();
  private positions = new Float32Array(9 * 64);
  private colours = new Float32Array(9 * 64);
  private count = 0; // triangles

  constructor(opacity: number, order = 8) {
    this.object = new Mesh(this.geometry, new MeshBasicMaterial({ vertexColors: true, transparent: true, opacity, side: DoubleSide, depthWrite: false }));
    this.object.frustumCulled = false;
    this.object.renderOrder = order;
    this.object.raycast = () => {};
    this.attach();
  }
  private attach() {
    this.geometry.dispose();
    this.geometry.setAttribute('position', new BufferAttribute(this.positions, 3).setUsage(DynamicDrawUsage));
    this.geometry.setAttribute('color', new BufferAttribute(this.colours, 3).setUsage(DynamicDrawUsage));
  }
  begin() {
    this.count = 0;
  }
  triangle(a: Vector3, b: Vector3, c: Vector3, colour: Color) {
    if (9 * this.count === this.positions.length) {
      const positions = new Float32Array(2 * this.positions.length),
        colours = new Float32Array(2 * this.colours.length);
      positions.set(this.positions);
      colours.set(this.colours);
      [this.positions, this.colours] = [positions, colours];
      this.attach();
    }
    const at = 9 * this.count++;
    [a, b, c].forEach((p, k) => {
      p.toArray(this.positions, at + 3 * k);
      colour.toArray(this.colours, at + 3 * k);
    });
  }
  fan(apex: Vector3, rim: readonly Vector3[], colour: Color) {
    for (let i = 0; i + 1 < rim.length; ++i) this.triangle(apex, rim[i]!, rim[i + 1]!, colour);
  }
  strip(a: readonly Vector3[], b: readonly Vector3[], colour: Color) {
    for (let i = 0; i + 1 < Math.min(a.length, b.length); ++i) {
      this.triangle(a[i]!, b[i]!, a[i + 1]!, colour);
      this.triangle(a[i + 1]!, b[i]!, b[i + 1]!, colour);
    }
  }
  end() {
    this.geometry.setDrawRange(0, 3 * this.count);
    this.object.visible = this.count > 0;
    this.geometry.getAttribute('position').needsUpdate = true;
    this.geometry.getAttribute('color').needsUpdate = true;
  }
  dispose() {
    this.geometry.dispose();
    (this.object.material as MeshBasicMaterial).dispose();
  }
}
