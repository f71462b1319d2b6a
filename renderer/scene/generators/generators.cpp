#include "renderer/scene/generators/generators.h"

#include <algorithm>
#include <new>
#include <ranges>

#include "core/base/error.h"
#include "core/base/near_match.h"
#include "core/base/text.h"
#include "renderer/scene/generators/generator_tools.h"

namespace tl {

// The rows, each made in its own file with the parameters and the help.
[[nodiscard]] Generator cornell_box_generator();
[[nodiscard]] Generator sphere_flake_generator();
[[nodiscard]] Generator terrain_generator();
[[nodiscard]] Generator atrium_generator();
[[nodiscard]] Generator soup_generator();
[[nodiscard]] Generator blob_generator();
[[nodiscard]] Generator crowd_generator();
[[nodiscard]] Generator explosion_generator();
[[nodiscard]] Generator waves_generator();
[[nodiscard]] Generator toasters_generator();
[[nodiscard]] Generator forest_generator();
[[nodiscard]] Generator dragon_generator();
[[nodiscard]] Generator cloth_generator();
[[nodiscard]] Generator bunny_dragon_generator();
[[nodiscard]] Generator patch_knot_generator();
[[nodiscard]] Generator lanterns_generator();
[[nodiscard]] Generator caustics_generator();
[[nodiscard]] Generator pool_generator();
[[nodiscard]] Generator splats_generator();
[[nodiscard]] Generator gaussian_tree_generator();

static std::vector<Generator>& table_of_generators() {
    static std::vector<Generator> table{
        cornell_box_generator(), sphere_flake_generator(), terrain_generator(),
        atrium_generator(),      soup_generator(),         blob_generator(),
        crowd_generator(),       explosion_generator(),    waves_generator(),
        toasters_generator(),    forest_generator(),       dragon_generator(),
        cloth_generator(),       bunny_dragon_generator(), patch_knot_generator(),
        lanterns_generator(),    caustics_generator(),     pool_generator(),
        splats_generator(),      gaussian_tree_generator()};
    return table;
}

const std::vector<Generator>& generators() {
    return table_of_generators();
}

void add_generators(std::vector<Generator> rows) {
    auto& table = table_of_generators();
    std::ranges::move(rows, std::back_inserter(table));
}

void generate(Scene& scene, const std::string& id, const GeneratorParameters& parameters) {
    for (auto& row : generators()) {
        if (row.id != id) continue;
        for (auto& [key, value] : parameters)
            if (std::find(row.keys.begin(), row.keys.end(), key) == row.keys.end())
                throw UserError(concatenated({"generator '", id, "' takes no '", key, "'"}) +
                                known_names(key, row.keys));
        try {
            row.add(scene, {id, parameters});
        } catch (const std::bad_alloc&) {
            throw UserError("generator '" + id + "': not enough memory; ask for less");
        }
        return;
    }
    throw UserError("unknown generator '" + id + "'" +
                    known_names(id, std::views::transform(generators(), &Generator::id)));
}

}  // namespace tl
