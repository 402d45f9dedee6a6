// What the words of the scene language mean, in a few words: beside what the editor proposes. In full: docs/scene-language.md.
const lines = (text: string): Record<string, string> =>
  Object.fromEntries(text.trim().split('\n').map((line) => line.trim()).map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1).trim()]));

const time = lines(`
  active        when it holds: from, to [s]
`);
const frames = lines(`
  object1       the first solid; left out: the world
  object2       the second solid
  object3       the third solid, of a fold
  object4       the fourth solid, of a fold
  point1        where it is, in object1
  point2        where it is, in object2
  point3        where it is, in object3
  point4        where it is, in object4
  axis1         its axis, in object1
  axis2         its axis, in object2
  normal1       a direction across the axis, in object1
  normal2       a direction across the axis, in object2
  orientation1  its frame in object1, as a quaternion
  orientation2  its frame in object2, as a quaternion
`);
const soft = lines(`
  compliance    how far it yields [m/N, rad/(N m)]
  weight        how much it counts where not all can hold
  damp          a factor on the global damping
  alpha         Gascuel’s share of the correction
  mobility      Gascuel’s share between the two solids
`);
const placing = lines(`
  at            where it is: x y z [m]
  turn          axis and angle: 0 0 1 30deg
  orientation   turned, as a quaternion x y z w
`);

export const meanings: Record<string, Record<string, string>> = {
  '': lines(`
    title         what the scene is called
    param         a named number that can be changed
    let           a number that is computed
    gravity       acceleration: 0 -9.81 0 [m/s²]
    damp          global damping (Forsey & Wilhelms)
    include       the items of another file
    expect        what must hold: dof 1
    at            an event: at 2s stop
    remove        takes out what a figure made
    start         begins at a pose of this text
    solid         a body: shapes, mass, place
    material      a density and a colour, by name
    joint         holds two solids together
    constraint    a joint as Gascuel wrote it
    force         a force at a point of a solid
    torque        a torque on a solid
    muscle        a torque between a joint’s solids
    spring        pulls two points together
    drag          resists motion, as air does
    pin           holds a point of a solid in place
    goal          a point that assembly brings near
    floor         a plane
    pose          places of solids, by name
    settings      method, time step, tolerance
    figure        parts to be placed many times
    place         puts a figure into the scene
    repeat        the same for i = from to
    if            only where a condition holds
    override      changes what a figure made
    end           ends the block
  `),
  solid: {
    ...placing, ...lines(`
    velocity      of its centre of mass [m/s]
    spin          angular velocity [rad/s], or 60rpm
    box           edges: x y z [m]
    sphere        radius [m]
    ellipsoid     three radii [m]
    capsule       radius, straight length, along y
    cylinder      radius, height, along y
    cone          radius, height, along y
    hull          the convex hull of points
    mesh          vertices and triangles
    material      the name of a material
    density       [kg/m³]
    mass          scales what the shapes give [kg]
    com           centre of mass, in its frame
    inertia       about the centre of mass [kg m²]
    ma            mass of its bounding box (Manikin)
    rotatability  Gascuel’s ability to rotate
    immobile      never moves
    animated      moves by its keys or its velocity
    key           a place at a time, if animated
    point-mass    does not turn
    colour        red green blue, 0 to 1
    group         names to select it by
  `) },
  material: lines(`
    density       [kg/m³]
    colour        red green blue, 0 to 1
  `),
  joint: {
    ...frames, ...lines(`
    at            where it is, in the world, as written
    axis          its axis, in the world, as written
    normal        a direction across the axis
    limit         the range of a coordinate
    spring        pulls a coordinate to a target
    damper        resists a coordinate’s motion
    drive         a motor: follows a signal
    prescribe     moves a coordinate exactly
    prefer        a range that a spring pulls into
    friction      resists by a force at most
    couple        a coordinate of a gear, by a factor
    carrier       the joint of the arm of a gear
    frozen        its solids are one, as they are
    merged        frozen, and shown as one solid
  `), ...soft, ...time },
  constraint: {
    ...frames, ...lines(`
    hinge         a point of each solid, held together
    axial         slides along a direction
    planar        slides in a plane
    angle         between two directions, with a range
    twist         about the axis, with a range
  `), ...soft, ...time },
  force: lines(`
    object        the solid it acts on
    point         where, in the solid’s frame
    vector        x y z [N]
    axes          world, or body: turns with it
    active        when it acts: from, to [s]
  `),
  torque: lines(`
    object        the solid it acts on
    vector        x y z [N m]
    axes          world, or body: turns with it
    active        when it acts: from, to [s]
  `),
  muscle: lines(`
    joint         between the solids of this joint
    vector        on object2, in the joint’s axes [N m]
    active        when it acts: from, to [s]
  `),
  spring: lines(`
    object1       the first solid; left out: the world
    point1        where it pulls, in object1
    object2       the second solid
    point2        where it pulls, in object2
    stiffness     [N/m]
    damping       [N s/m]
    rest          length without force [m]
    active        when it acts: from, to [s]
  `),
  drag: lines(`
    object        the solid; left out: all
    linear        [N s/m]
    quadratic     [N s²/m²]
    angular       [N m s]
    active        when it acts: from, to [s]
  `),
  pin: lines(`
    object        the solid it holds
    point         which point of it
    target        where it is held; left out: as written
    rigid         holds its orientation too
    active        when it holds: from, to [s]
  `),
  goal: lines(`
    object        the solid
    point         which point of it
    target        where it shall go
    weight        how much it counts
    active        when it counts: from, to [s]
  `),
  floor: lines(`
    point         a point of the plane
    normal        upwards
    friction      coefficient
    stiffness     [N/m]
    damping       [N s/m]
  `),
  pose: lines(`
    time          when it is reached [s]
    solid         a solid’s place: NAME at x y z
    coordinate    a joint’s coordinate: NAME angle 30deg
  `),
  settings: lines(`
    method        how motion is computed
    solver        how its equations are solved
    norm          how errors are measured
    dt            time step [s]
    duration      how long a run is [s]
    tolerance     how far joints may be open
    budget        time of an update of posing
    truncation    Faure’s factor of displacements
    alpha         Baumgarte’s α
    beta          Baumgarte’s β
    iterations    at most; 0: the method’s own
    linear-iterations at most, of the solver
  `),
  place: {
    ...placing, ...lines(`
    scale         how many times as large
    mirror        in the plane with this normal
    set           a parameter of the figure
  `) },
  override: lines(`
    clear         forgets what was written
  `),
};

const inside = lines(`
  min           the least
  max           the largest
  compliance    how far it yields
  weight        how much it counts
  stiffness     of its spring
  damping       of its damper
  target        where it is pulled to
  rate          a second
  offset        at time 0
  sine          amplitude, frequency, phase
  key           time, value
  active        when it holds: from, to [s]
`);
const functionWords = lines(`
  sqrt          square root
  abs           without its sign
  min           the least of them
  max           the largest of them
  floor         rounded down
  ceil          rounded up
  round         to the nearest whole number
  sign          -1, 0 or 1
  clamp         x between low and high
  hypot         length of a vector
  sin           of an angle
  cos           of an angle
  tan           of an angle
  asin          the angle
  acos          the angle
  atan          the angle
  atan2         the angle of y, x
  exp           e to the power
  log           natural logarithm
  pi            3.14159…: pi()
`);
export const innerMeaning = (word: string): string | undefined => inside[word];
export const functionMeaning = (word: string): string | undefined => functionWords[word];
// In a block, else of the language as a whole (`repeat`, `if` and `end` stand anywhere).
export const meaningOf = (word: string, block: string): string | undefined =>
  meanings[block]?.[word] ?? (block === 'override' ? (meanings.solid?.[word] ?? meanings.joint?.[word]) : undefined) ?? meanings['']?.[word];
