// The methods of motion in a line each (docs/motion.md). Which there are, the engine's catalogue says; one without a line has none.
export const methodWords: Partial<Record<string, string>> = {
  energy: 'Keeps energy and momenta. Joints are exact. Takes large steps.',
  interactive: 'Never gains energy. Joints are exact. Takes the largest steps.',
  displacement: 'Moves freely, then corrects displacements. More iterations are slower and more accurate.',
  shake: 'Symplectic: energy stays within a band. Takes medium steps.',
  relaxation: 'Corrects one joint after the other. It is simple, and converges slowly.',
  baumgarte: 'Explicit. Feeds errors back (α, β), so that they fade. Needs small steps.',
  implicit: 'Linearizes joints at the end of the step. Takes any step; errors grow with the step.',
  poststabilized: 'Steps by Runge-Kutta, then corrects positions and velocities. Needs small steps.',
  recursive: 'Articulated bodies in joint coordinates, fourth order. Needs small steps.',
};
