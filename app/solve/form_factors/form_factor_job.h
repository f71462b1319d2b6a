// A matrix of form factors between two clusters of a scene's surface samples, as `solve
// form-factors` and the viewer's panel make it: the one place where renderer and solvers meet.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "renderer/scene/scene.h"
#include "solvers/dense/matrix.h"

namespace tl {

struct FormFactorSpec {
    int samples = 512;    ///< of each cluster
    int n_clusters = 64;  ///< that the scene's surfaces are cut into; a power of two
    float distance = 4;   ///< wanted of the two, in sums of their radii; those who see less
                          ///< than half of each other are passed over where others see more
    std::optional<std::pair<int, int>> pair{};  ///< instead: these two, counted from 0
    std::uint64_t seed = 0;
};

struct FormFactorBlock {
    Matrix<double> f;  ///< samples of the first x samples of the second
    std::pair<int, int> pair;
    float separation = 0;  ///< of the two, in sums of their radii
    double area = 0;       ///< m^2 that a sample stands for
    double visible = 0;    ///< share of the elements that are not 0
};

/// Builds a tree of its own over the scene at `time` on the stream's device, so that a renderer may
/// go on with its own. Waits for the stream. Throws UsageError for a spec that makes no sense,
/// UserError where the scene has no surfaces to sample or no two clusters see each other.
[[nodiscard]] FormFactorBlock make_form_factors(Stream& stream,
                                                const std::shared_ptr<const Scene>& scene,
                                                float time, const FormFactorSpec& spec);

/// What is known of the block besides its elements.
[[nodiscard]] nlohmann::ordered_json form_factor_json(const FormFactorBlock& block,
                                                      const FormFactorSpec& spec);

}  // namespace tl
