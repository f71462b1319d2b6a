// Computes the matrix of form factors between two clusters of a scene's surface samples, for `solve
// form-factors` and the viewer's panel.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "renderer/scene/scene.h"
#include "solvers/dense/matrix.h"

namespace tl {

struct FormFactorSpec {
    int samples = 512;    ///< of each cluster
    int n_clusters = 64;  ///< into which the surfaces are split; a power of two
    float distance = 4;   ///< desired between the clusters, in sums of their radii; pairs that see
                          ///< less than half of each other are chosen only if none sees more
    std::optional<std::pair<int, int>> pair{};  ///< use this pair instead; counted from 0
    std::uint64_t seed = 0;
};

struct FormFactorBlock {
    Matrix<double> f;  ///< rows: samples of the first cluster; columns: of the second
    std::pair<int, int> pair;
    float separation = 0;  ///< of the clusters, in sums of their radii
    double area = 0;       ///< m^2 that a sample represents
    double visible = 0;    ///< fraction of nonzero elements
};

/// Throws UsageError for an invalid spec.
void check_form_factors(const FormFactorSpec& spec);

/// Builds a separate tree over the scene at `time` on the stream's device, so that a renderer can
/// keep using its own. Waits for the stream. Throws UsageError for an invalid spec, UserError if
/// the scene has no surfaces to sample or no two clusters see each other.
[[nodiscard]] FormFactorBlock make_form_factors(Stream& stream,
                                                const std::shared_ptr<const Scene>& scene,
                                                float time, const FormFactorSpec& spec);

}  // namespace tl
