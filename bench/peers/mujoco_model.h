// MuJoCo's model of a scene, by its own format.
#pragma once

#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstring>

#include "mjcf.h"

namespace peers {

// Null, with a line on stderr: MuJoCo does not take it.
inline mjModel* mujocoModel(const Scene& scene, const MjcfOptions& options) {
  const MjcfTexts texts = mjcfOf(scene, options);
  static mjVFS files;
  mj_defaultVFS(&files);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    mj_makeEmptyFileVFS(&files, mjcfName(i).c_str(), static_cast<int>(texts[i].size()));
    std::memcpy(files.filedata[i], texts[i].data(), texts[i].size());
  }
  char error[1000] = "";
  mjModel* model = mj_loadXML(mjcfName(0).c_str(), &files, error, sizeof error);
  if (!model) std::fprintf(stderr, "MuJoCo: %s\n", error);
  return model;
}

}  // namespace peers
