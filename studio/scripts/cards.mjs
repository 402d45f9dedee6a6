// The gallery's cards: of each scene what it is for, and one thing to do with it that shows what it is about.
// scripts/gallery.mjs puts them into the index, and refuses a scene that has none.

// What people come for, in the order of the gallery.
export const uses = {
  figures: 'People and animals',
  walkers: 'Walking machines',
  machines: 'Machines',
  joints: 'Joints, one by one',
  papers: 'From the papers',
  benchmarks: 'Benchmarks',
};

const of = (use, cards) => Object.fromEntries(Object.entries(cards).map(([path, hint]) => [path, { use, hint }]));

export const cards = {
  ...of('figures', {
    'figures/marionette': 'Play it, and watch the strings: some go slack while the others carry the weight.',
    'figures/hand': 'Play it: the fingers drum. Drag a fingertip to bend the finger. Its last joint follows the middle joint.',
    'figures/quadruped': 'Play it: the dog wags its tail. Pause, and pull a paw forwards to lift the leg.',
    'figures/crowd': 'Drag anybody by a hand. Set people to 100 to fill the square.',
    'manikin/chair': 'Play it: forces pull the figure down until it sits.',
    'manikin/goals': 'Play it: the figure takes a step, then its hand follows a moving goal.',
    'gascuel/otary': 'Play it: the sea lion nods, and the ball runs about on the tray without leaving it.',
    'gascuel/snake': 'Play it: the falling snake pulls its tail along the rod, to the stop and back.',
    'gascuel/monocycle': 'Play it: the rider goes forward and back, and the wheel turns his legs.',
    'faure/fig5-structure': 'Drag the head or the tail: nine telescopic struts follow.',
    'faure/fig3-bound-characters': 'Press Assemble: the ring draws together until all hands meet.',
    'faure/fig6-plate': 'Play it: the shaken plate swings three puppets that hold hands.',
  }),
  ...of('walkers', {
    'linkages/strandbeest': 'Play it: the motor turns the crankshaft, and twelve legs walk. Set pairs to 2 to see one leg well.',
    'linkages/jansen-leg': 'Drag the crank round and watch the foot. It moves flat along the ground, then up and back.',
    'linkages/klann-leg': 'Drag the crank round: the foot steps high, like the foot of a spider.',
  }),
  ...of('machines', {
    'linkages/four-bar': 'Drag the crank all the way round: the rocker only swings to and fro.',
    'linkages/slider-crank': 'Drag the piston: it turns the crank. Change the parameter rod, and compare the stroke.',
    'linkages/scissor-lift': 'Play it: a cylinder lifts the platform. Set stages to 5 to reach higher.',
    'linkages/stewart-platform': 'Play it: six legs lengthen in turn and rock the platform. Pause, and drag the cabin.',
    'linkages/peaucellier': 'Drag the crank: the tip draws an exact straight line along the ruler.',
    'linkages/bricard': 'Drag any rod: six rods in a ring turn themselves inside out.',
    'linkages/n-four-bar': 'Play it: the row falls over and passes through poses where it could jam.',
    'linkages/link-grid': 'Drag a corner of the net: the whole grid follows.',
  }),
  ...of('joints', {
    'joints/angle': 'Drag the stick: it leans until it meets the funnel.',
    'joints/ball': 'Drag the lever to all sides. It stops before it meets the rim.',
    'joints/curve': 'Play it: the bead runs along the bent wire, up and down.',
    'joints/cylindrical': 'Drag the handle: the piston slides and turns.',
    'joints/distance': 'Drag the cube: its corner stays on the globe.',
    'joints/fold': 'Play it: the butterfly’s wings open by a spring, and a limit stops them.',
    'joints/gear': 'Drag one wheel: the other turns the opposite way, tooth by tooth.',
    'joints/hooke': 'Play it: both forks turn on the cross, each about its own arm.',
    'joints/in-sphere': 'Drag the ball to the bars of its cage: it cannot get out.',
    'joints/parallel': 'Drag the red arrow anywhere: it always points the same way as the grey arrow.',
    'joints/pin': 'Drag the leaf of the hinge: it swings, and stops before the leaves meet.',
    'joints/planar': 'Push the curling stone across the ice: it slides and turns, and never tips.',
    'joints/point-on-line': 'Play it: the pendulum swings while its bead runs along the wire.',
    'joints/point-on-plane': 'Drag the pencil: its tip never leaves the sheet.',
    'joints/prismatic': 'Drag the carriage from one stop to the other.',
    'joints/ring': 'Drag the marble: it runs between the island and the rim.',
    'joints/rolling': 'Play it: the wheel rolls in a circle, because it leans.',
    'joints/rope': 'Play it: the bucket falls until the rope is taut.',
    'joints/screw': 'Drag the nut up or down: it turns as it moves. Play it, and the nut runs down to the head.',
    'joints/segment': 'Drag the runner along the rail: two stops hold it.',
    'joints/surface': 'Drag the marble around the tyre and around its tube: it never lifts off.',
    'joints/twist': 'Turn the knob by its pointer: two pegs end its range.',
    'joints/weld': 'Try to pull the two plates apart: they move as one.',
  }),
  ...of('papers', {
    'faure/fig2-bar-and-discs': 'Press Assemble: the bar turns round, and the discs come to its ends.',
    'gascuel/star': 'Choose the method relaxation and press Assemble. A plain sum of corrections would tear this star apart.',
    'jeon/bead-on-wire': 'Play it: the bead starts beside its wire. Compare methods to see which of them bring it back.',
    'jeon/cloth': 'Play it: the cloth hangs, folds along a line, and drops.',
    'manikin/chain': 'Play it, and set links to 20: the cost grows in proportion to the number of links.',
    'manikin/bushy': 'Play it, and compare it with the chain: it has as many links, all on one root.',
  }),
  ...of('benchmarks', {
    'peers/s1': 'Play it: a chain swings down. Set N to 1000, and the long chain still moves in real time.',
    'peers/s2': 'Play it: this chain has hinges that alternate, so it is stiffer.',
    'peers/s3': 'Play it: the ladder has loops all along it, and its joints still hold exactly.',
    'peers/s4': 'Play it: the last link is a thousand times heavier, and the chain does not stretch.',
    'peers/s5': 'Play it: a hundred people hang by their hips. Watch the step time in the status line.',
    'peers/r1': 'Play it: drives swing every joint. Half of the people run into their limits, and no limit is passed.',
    'peers/s6': 'Drag the left hand: 56 solids follow, and both feet stay where they are.',
  }),
};
