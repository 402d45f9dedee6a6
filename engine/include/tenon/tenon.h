// Everything a user of the library needs.
#pragma once

#include <tenon/builder.h>
#include <tenon/compile.h>
#include <tenon/control_poles.h>
#include <tenon/draw.h>
#include <tenon/dynamics.h>
#include <tenon/ids.h>
#include <tenon/joint.h>
#include <tenon/language.h>
#include <tenon/loads.h>
#include <tenon/math.h>
#include <tenon/measure.h>
#include <tenon/mechanism.h>
#include <tenon/posing.h>
#include <tenon/result.h>
#include <tenon/rows.h>
#include <tenon/scene.h>
#include <tenon/scene_says.h>
#include <tenon/session.h>
#include <tenon/simulation.h>
#include <tenon/solver.h>
#include <tenon/step.h>
#include <tenon/version.h>
