// Procedural geometry: licence-free scenes of any size, named in scene files or as
// "generate:terrain,triangles=1000000" wherever a scene is expected.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// key=value parameters of a generator, as text.
using GeneratorParameters = std::map<std::string, std::string>;

class GeneratorArguments;

/// One row of the table of generators. A new generator is a file in this folder that makes the row,
/// with its declaration and call in the table in generators.cpp.
struct Generator {
    std::string id;
    std::string help;               ///< one sentence, with the parameters and their defaults
    std::vector<std::string> keys;  ///< the parameters it takes
    void (*add)(Scene& scene, const GeneratorArguments& arguments);  ///< see generate()
};

[[nodiscard]] const std::vector<Generator>& generators();
/// Appends rows for generators outside of the renderer. Must be called before anything reads the
/// table.
void add_generators(std::vector<Generator> rows);

/// Adds the geometry and materials of generator `id` with suitable lights, and sets camera,
/// background and, if its meshes move, duration. The same parameters make the same scene
/// everywhere. Throws UserError for an unknown id or key (the known ones are listed), a value out
/// of range, and insufficient memory.
void generate(Scene& scene, const std::string& id, const GeneratorParameters& parameters);

}  // namespace tl
