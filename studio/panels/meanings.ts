// What the words of the scene language mean, in a few words: beside what the editor proposes. In full: docs/scene-language.md.
const lines = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.trim())
      .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]),
  );

const time = lines(`
  active        the time it holds: from, to [s]
`);
const frames = lines(`
  object1       the first solid (default: the world)
  object2       the second solid
  object3       the third solid, of a fold
  object4       the fourth solid, of a fold
  point1        the joint’s point, in object1
  point2        the joint’s point, in object2
  point3        the joint’s point, in object3
  point4        the joint’s point, in object4
  axis1         the joint’s axis, in object1
  axis2         the joint’s axis, in object2
  normal1       a direction across the axis, in object1
  normal2       a direction across the axis, in object2
  orientation1  the joint’s frame in object1: x y z w
  orientation2  the joint’s frame in object2: x y z w
`);
const soft = lines(`
  compliance    how far the joint gives [m/N, rad/(N m)]
  weight        the importance if not all joints can hold
  damp          this joint’s own damping factor
  alpha         the speed of convergence (Gascuel)
  mobility      how much object1 moves, 0 to 1 (Gascuel)
`);
const placing = lines(`
  at            position: x y z [m]
  turn          rotation by axis and angle: 0 0 1 30deg
  orientation   rotation as a quaternion x y z w
`);

export const meanings: Record<string, Record<string, string>> = {
  '': lines(`
    title         the name of the scene
    param         a named number that you can change
    let           a named number, computed
    gravity       acceleration: 0 -9.81 0 [m/s²]
    damp          global damping (Forsey & Wilhelms)
    include       brings in the items of another file
    expect        a condition to check: dof 1
    at            an event: at 2s stop
    remove        removes something that a figure made
    start         the pose that the scene begins with
    solid         a body: shapes, mass, position
    material      a density and a colour, by name
    joint         holds two solids together
    constraint    a joint in Gascuel’s notation
    force         a force at a point of a solid
    torque        a torque on a solid
    muscle        a torque between a joint’s solids
    spring        pulls two points together
    drag          resists motion, like air
    pin           holds a point of a solid in place
    goal          a place that assembly aims for
    floor         a plane to stand on (not simulated yet)
    pose          named positions of the solids
    settings      method, time step, tolerance
    figure        a group of parts to place many times
    place         puts a figure into the scene
    repeat        repeats items: repeat i 1 10
    if            uses items only if a condition holds
    override      changes something that a figure made
    end           ends the block
  `),
  solid: {
    ...placing,
    ...lines(`
    velocity      velocity of the centre of mass [m/s]
    spin          angular velocity [rad/s], or 60rpm
    box           a box with edges x y z [m]
    sphere        a sphere with this radius [m]
    ellipsoid     an ellipsoid with three radii [m]
    capsule       radius and straight length, along y [m]
    cylinder      radius and height, along y [m]
    cone          radius and height, along y [m]
    hull          the convex hull of points
    mesh          a shape of vertices and triangles
    material      the material that it is made of
    density       mass per volume [kg/m³]
    mass          the total mass of its shapes [kg]
    com           centre of mass, in the solid’s frame
    inertia       inertia about the centre of mass [kg m²]
    ma            uses the mass of its bounding box (Manikin)
    rotatability  how easily it rotates (Gascuel)
    gravity       its part of gravity; 0: weightless
    immobile      never moves
    animated      moves by its keys or velocity, not by forces
    key           a position at a time, if animated
    point-mass    has mass, but never turns
    colour        red, green, blue from 0 to 1
    group         names that select it
  `),
  },
  material: lines(`
    density       mass per volume [kg/m³]
    colour        red, green, blue from 0 to 1
  `),
  joint: {
    ...frames,
    ...lines(`
    at            the joint’s point, in the world
    axis          the joint’s axis, in the world
    normal        a direction across the axis
    limit         the range of a coordinate
    spring        pulls a coordinate to a target
    damper        resists a coordinate’s motion
    drive         a motor that follows a signal
    prescribe     moves a coordinate exactly
    prefer        a range that a spring pulls into
    friction      resists motion up to this force
    armature      inertia of a rotor that turns with it
    couple        a gear’s coordinate, and its factor
    carrier       the joint of the gear’s arm
    frozen        locks the joint: its solids become one
    merged        freezes the joint, and shows one solid
  `),
    ...soft,
    ...time,
  },
  constraint: {
    ...frames,
    ...lines(`
    hinge         a point of each solid, held together
    axial         a point that slides along a direction
    planar        a point that slides in a plane
    angle         an angle of two directions, with a range
    twist         a rotation about the axis, with a range
  `),
    ...soft,
    ...time,
  },
  force: lines(`
    object        the solid that it acts on
    point         the point it acts on, in the solid’s frame
    vector        the force x y z [N]
    axes          world, or body to turn with the solid
    active        the time it acts: from, to [s]
  `),
  torque: lines(`
    object        the solid that it acts on
    vector        the torque x y z [N m]
    axes          world, or body to turn with the solid
    active        the time it acts: from, to [s]
  `),
  muscle: lines(`
    joint         acts between the solids of this joint
    vector        torque on object2, in joint axes [N m]
    active        the time it acts: from, to [s]
  `),
  spring: lines(`
    object1       the first solid (default: the world)
    point1        one end of the spring, in object1
    object2       the second solid
    point2        the other end, in object2
    stiffness     force per stretch [N/m]
    damping       force per speed [N s/m]
    rest          the length at which it does not pull [m]
    active        the time it acts: from, to [s]
  `),
  drag: lines(`
    object        the solid (default: all solids)
    linear        force per speed [N s/m]
    quadratic     force per speed squared [N s²/m²]
    angular       torque per angular speed [N m s]
    active        the time it acts: from, to [s]
  `),
  pin: lines(`
    object        the solid that it holds
    point         a point, in the solid’s frame
    target        where it is held (default: where it starts)
    rigid         holds the orientation too
    active        the time it holds: from, to [s]
  `),
  goal: lines(`
    object        the solid that it moves
    point         a point, in the solid’s frame
    target        the place to reach: x y z [m]
    weight        how important it is
    active        the time it counts: from, to [s]
  `),
  floor: lines(`
    point         a point of the plane
    normal        the upward direction
    friction      the coefficient of friction
    stiffness     force per stretch [N/m]
    damping       force per speed [N s/m]
  `),
  pose: lines(`
    time          the time of the pose [s]
    solid         a solid’s position: NAME at x y z
    coordinate    a joint’s coordinate: NAME angle 30deg
  `),
  settings: lines(`
    method        how Tenon computes motion
    solver        how it solves the equations
    norm          how it measures errors
    dt            time step [s]
    duration      the length of a run [s]
    tolerance     the joint error that is allowed
    budget        the time for one solve [s]
    truncation    the largest turn per iteration (Faure)
    alpha         Baumgarte’s α
    beta          Baumgarte’s β
    iterations    the most iterations; with 0 the method decides
    linear-iterations the most iterations of the solver
    linear-tolerance where an iterative solver stops
    integrator    how accelerations become motion
    guess         starts solvers from the last result
    accelerate    corrects accelerations first
    weighted      heavier joints converge first
    largest-turn  halves steps that turn more (relaxation)
    on-cap        go on or stop when iterations run out
    step-tolerance the error of a step (recursive)
    loops         how recursive holds loops
    heaviness     mass of a heavy segment, in scenes
    slip          how far a heavy segment may slip
    limit-stiffness stiffness of limits (recursive)
    fast          takes the fast path where there is one
    threads       how many share the islands
    sleep-below   slower islands sleep; with 0 none
    sleep-after   how long they must be slow [s]
    restarts      how often newton may start again
    seed          the seed of the restarts
    compromise    lets what yields find a compromise
    exact-translation closes a joint in one iteration
    weighted-sum  weighs corrections (relaxation)
    alpha-scale   α of joints that give none
    pull-method   how a pose follows a hand
    pull-iterations how many, while a hand pulls
    pull-solver   the solver, while a hand pulls
    pull-linear-iterations its iterations, each time
  `),
  place: {
    ...placing,
    ...lines(`
    scale         a factor on its size
    mirror        mirrors it in the plane with this normal
    set           sets a parameter of the figure
  `),
  },
  override: lines(`
    clear         forgets a list or a value
  `),
};

const inside = lines(`
  min           the smallest value
  max           the largest value
  compliance    how far it gives
  weight        how important it is
  stiffness     the stiffness of its spring
  damping       the damping of its damper
  target        the value that it is pulled to
  rate          the change per second
  offset        the value at time 0
  sine          amplitude, frequency and phase
  key           a time and a value
  active        the time it holds: from, to [s]
`);
const functionWords = lines(`
  sqrt          square root
  abs           the value without its sign
  min           the smallest argument
  max           the largest argument
  floor         rounds down
  ceil          rounds up
  round         rounds to the nearest whole number
  sign          -1, 0 or 1
  clamp         keeps x between low and high
  hypot         the length of a vector
  sin           the sine of an angle
  cos           the cosine of an angle
  tan           the tangent of an angle
  asin          the angle with this sine
  acos          the angle with this cosine
  atan          the angle with this tangent
  atan2         the angle of the direction (x, y)
  exp           e to the power
  log           natural logarithm
  pi            3.14159…: pi()
`);
export const innerMeaning = (word: string): string | undefined => inside[word];
export const functionMeaning = (word: string): string | undefined => functionWords[word];
// In a block, else of the language as a whole (`repeat`, `if` and `end` stand anywhere).
export const meaningOf = (word: string, block: string): string | undefined =>
  meanings[block]?.[word] ?? (block === 'override' ? (meanings.solid?.[word] ?? meanings.joint?.[word]) : undefined) ?? meanings['']?.[word];
