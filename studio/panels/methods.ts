// The methods of motion in a line each (docs/motion.md).
export const methodWords: Record<string, string> = {
  energy: 'Keeps energy and momenta; joints exact. Large steps.',
  interactive: 'Never wins energy; joints exact. The largest steps.',
  displacement: 'Free motion, then corrected displacements. Iterations trade accuracy for time.',
  shake: 'Symplectic: energy stays in a band. Medium steps.',
  relaxation: 'Pairwise corrections, one joint after the other. Simple, and slow to converge.',
  baumgarte: 'Explicit; errors are fed back (α, β) and fade. Small steps.',
  implicit: 'Joints linearized at the end of the step: any step, with errors to match.',
  poststabilized: 'Runge-Kutta, then positions and velocities put right. Small steps.',
  recursive: 'Articulated bodies in joint coordinates. Small steps, fourth order.',
};
