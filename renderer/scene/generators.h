// Procedural geometry: licence-free scenes of any size, named in scene files or as
// "generate:terrain,triangles=1000000" wherever a scene is asked for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// key=value parameters of a generator, as text.
using GeneratorParameters = std::map<std::string, std::string>;

/// One row of the table of generators.
struct Generator {
    std::string id;
    std::string help;               ///< one sentence, with the parameters and their defaults
    std::vector<std::string> keys;  ///< the parameters it takes
    void (*add)(Scene& scene,
                const GeneratorParameters& parameters);  ///< adds geometry + materials
};

[[nodiscard]] const std::vector<Generator>& generators();

/// Adds the geometry (and, where the subject has them, lights and camera) of generator `id`. Throws
/// UserError listing the known ids or keys.
void generate(Scene& scene, const std::string& id, const GeneratorParameters& parameters);

}  // namespace tl
