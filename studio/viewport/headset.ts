// What a view's headset can be asked, by tests too: tools/xr.ts answers.
import type { Vec3 } from '../store/store';

export interface Headset {
  supported(): boolean;
  refresh(): Promise<boolean>; // asks anew whether there is a headset
  enter(): Promise<void>;
  leave(): Promise<void>;
  presenting(): boolean;
  frames(): number; // drawn since entering
  controllers(): { connected: boolean; position: Vec3; direction: Vec3; hit: string | null; held: string | null }[];
  centre(): Vec3; // of the scene, in metres of the headset's space
  scale(): number; // metres of the scene in one of the user's
}
