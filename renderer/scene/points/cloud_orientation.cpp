#include "renderer/scene/points/cloud_orientation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "renderer/scene/points/in_chunks.h"

namespace tl {
namespace {

constexpr std::uint32_t kEdges = CloudNeighbours::kNearest;  // edges of a point

/// Propagation of the orientation from one point to a neighbour.
struct SideStep {
    float weight;  ///< 0 to 1; lower is safer
    bool turns;    ///< whether the normals' signs are opposite
};

SideStep side_step(vec3 offset, float square, vec3 from, vec3 to) {
    vec3 along = square > 0 ? offset / std::sqrt(square) : vec3(0);
    vec3 mirrored = from - 2 * glm::dot(from, along) * along;
    float alike = glm::dot(mirrored, to);
    vec3 turned = alike < 0 ? -to : to;
    float off_circle = std::abs(glm::dot(along, from + turned)) / 2;
    float bend = (1 - glm::dot(from, turned)) / 4;
    return {std::max({1 - std::abs(alike), off_circle, bend}), alike < 0};
}

/// Sets of points of known relative orientation (disjoint sets with parities).
class SideSets {
  public:
    explicit SideSets(std::size_t n) : links_(n), sizes_(n, 1) {
        for (std::size_t i = 0; i < n; ++i) links_[i] = static_cast<std::uint32_t>(i);
    }
    struct Place {
        std::uint32_t root;
        bool turned;  ///< flipped relative to the root
    };
    [[nodiscard]] Place find(std::uint32_t point) {
        std::uint32_t turned = 0;
        while (true) {
            std::uint32_t link = links_[point], parent = link & ~kTurned;
            if (parent == point) return {point, turned != 0};
            // Path halving.
            std::uint32_t next = links_[parent] ^ (link & kTurned);
            links_[point] = next;
            turned ^= next & kTurned;
            point = next & ~kTurned;
        }
    }
    /// Joins the sets of two points; false where they are one already.
    bool join(std::uint32_t a, std::uint32_t b, bool turns) {
        Place first = find(a), second = find(b);
        if (first.root == second.root) return false;
        if (sizes_[first.root] < sizes_[second.root]) std::swap(first, second);
        bool turned = turns != (first.turned != second.turned);
        links_[second.root] = first.root | (turned ? kTurned : 0);
        sizes_[first.root] += sizes_[second.root];
        return true;
    }

  private:
    static constexpr std::uint32_t kTurned = 1u << 31;
    std::vector<std::uint32_t> links_, sizes_;
};

/// Edges of the graph between points that are no outliers, each once, by ascending weight. An edge
/// is the slot of a neighbour in the cloud's list. Weights are quantised to 255 steps.
std::vector<std::uint32_t> sorted_edges(const CloudNeighbours& cloud, const CloudSides& sides,
                                        std::span<const vec3> normals) {
    constexpr std::uint8_t kNoEdge = 255;
    std::size_t n = cloud.size();
    auto is_out = [&](std::size_t i) { return !sides.is_outlier.empty() && sides.is_outlier[i]; };
    std::vector<std::uint8_t> steps(n * kEdges, kNoEdge);
    for_each_point(n, [&](std::size_t i) {
        if (is_out(i)) return;
        auto near = cloud.of(i);
        for (std::uint32_t slot = 0; slot < kEdges; ++slot) {
            std::uint32_t other = near[slot];
            if (other == CloudNeighbours::kNone || other == i || is_out(other)) continue;
            if (other < i && std::ranges::find(cloud.of(other), i) != cloud.of(other).end())
                continue;  // the other point has this edge
            vec3 offset = cloud.places[other] - cloud.places[i];
            float weight =
                side_step(offset, glm::dot(offset, offset), normals[i], normals[other]).weight;
            // The square root resolves small weights, which are the most frequent.
            steps[i * kEdges + slot] =
                static_cast<std::uint8_t>(254 * std::sqrt(std::clamp(weight, 0.0f, 1.0f)));
        }
    });
    std::array<std::size_t, 256> first{};
    for (std::uint8_t step : steps)
        if (step != kNoEdge) ++first[step + 1u];
    for (std::size_t step = 1; step < first.size(); ++step) first[step] += first[step - 1];
    std::vector<std::uint32_t> edges(first[kNoEdge]);
    for (std::size_t k = 0; k < steps.size(); ++k)
        if (steps[k] != kNoEdge) edges[first[steps[k]]++] = static_cast<std::uint32_t>(k);
    return edges;
}

/// Kruskal's minimum spanning forest.
SideSets spanning_forest(const CloudNeighbours& cloud, const CloudSides& sides,
                         std::span<const vec3> normals) {
    SideSets sets(cloud.size());
    std::size_t n_left = cloud.size();
    for (std::uint32_t edge : sorted_edges(cloud, sides, normals)) {
        std::uint32_t from = edge / kEdges, to = cloud.nearest[edge];
        vec3 offset = cloud.places[to] - cloud.places[from];
        bool turns = side_step(offset, glm::dot(offset, offset), normals[from], normals[to]).turns;
        if (sets.join(from, to, turns) && --n_left == 1) break;
    }
    return sets;
}

/// Evidence for the orientation of one component.
struct ComponentSide {
    static constexpr int kAxes = 13;  ///< through the middles of a cube's faces, edges and corners

    float lowest[kAxes], highest[kAxes];
    std::uint32_t at_lowest[kAxes], at_highest[kAxes];
    double n_given = 0, upwards = 0;

    ComponentSide() {
        std::ranges::fill(lowest, kInfinity);
        std::ranges::fill(highest, -kInfinity);
    }
    static const std::array<vec3, kAxes>& axes() {
        static const std::array<vec3, kAxes> all = [] {
            std::array<vec3, kAxes> axes;
            std::size_t n = 0;
            for (int x = -1; x <= 1; ++x)
                for (int y = -1; y <= 1; ++y)
                    for (int z = -1; z <= 1; ++z)
                        if (9 * x + 3 * y + z > 0) axes[n++] = glm::normalize(vec3(x, y, z));
            return axes;
        }();
        return all;
    }
    void add(std::uint32_t point, vec3 place) {
        for (int k = 0; k < kAxes; ++k) {
            float along = glm::dot(axes()[k], place);
            if (along < lowest[k]) {
                lowest[k] = along;
                at_lowest[k] = point;
            }
            if (along > highest[k]) {
                highest[k] = along;
                at_highest[k] = point;
            }
        }
    }
    /// Whether the normals point inwards. Given normals decide first, then the outermost points.
    /// Where these disagree, as on a terrain, normals must not point down.
    [[nodiscard]] bool is_inverted(std::span<const vec3> normals) const {
        if (n_given != 0) return n_given < 0;
        constexpr float kAgreed = 0.2f;
        float votes = 0, all = 0;
        for (int k = 0; k < kAxes; ++k)
            for (auto [point, sign] : {std::pair{at_lowest[k], -1.0f}, {at_highest[k], 1.0f}}) {
                float outwards = sign * glm::dot(axes()[k], normals[point]);
                votes += outwards * std::abs(outwards);
                all += outwards * outwards;
            }
        return std::abs(votes) > kAgreed * all ? votes < 0 : upwards < 0;
    }
};

bool is_given(const CloudSides& sides, std::size_t point) {
    return !sides.given.empty() && sides.given[point] != vec3(0);
}

/// Orients every component by its given normals, its outermost points or the upward direction.
void orient_components(const CloudNeighbours& cloud, const CloudSides& sides, SideSets& sets,
                       std::vector<vec3>& normals) {
    std::size_t n = cloud.size();
    std::vector<std::uint32_t> component(n, CloudNeighbours::kNone);  // of each root
    std::vector<ComponentSide> components;
    std::vector<std::uint32_t> owner(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        auto [root, turned] = sets.find(i);
        if (component[root] == CloudNeighbours::kNone) {
            component[root] = static_cast<std::uint32_t>(components.size());
            components.emplace_back();
        }
        owner[i] = component[root];
        auto& side = components[owner[i]];
        if (turned) normals[i] = -normals[i];
        side.add(i, cloud.places[i]);
        side.upwards += static_cast<double>(glm::dot(normals[i], sides.up));
        if (is_given(sides, i)) side.n_given += turned ? -1 : 1;
    }
    std::vector<std::uint8_t> inverted(components.size());
    for (std::size_t k = 0; k < components.size(); ++k)
        inverted[k] = components[k].is_inverted(normals) ? 1 : 0;
    for_each_point(n, [&](std::size_t i) {
        if (inverted[owner[i]]) normals[i] = -normals[i];
    });
}

/// Orients outliers, which belong to no component, like the nearest neighbour that is none.
void orient_outliers(const CloudNeighbours& cloud, const CloudSides& sides,
                     std::vector<vec3>& normals) {
    for (std::size_t i = 0; i < sides.is_outlier.size(); ++i) {
        if (!sides.is_outlier[i]) continue;
        float nearest = kInfinity;
        vec3 side(0);
        cloud.for_each_near(i, [&](std::uint32_t other, vec3, float square) {
            if (sides.is_outlier[other] || square >= nearest) return;
            nearest = square;
            side = normals[other];
        });
        if (glm::dot(side, normals[i]) < 0) normals[i] = -normals[i];
    }
}

}  // namespace

void orient_normals(const CloudNeighbours& cloud, const CloudSides& sides,
                    std::vector<vec3>& normals) {
    std::size_t n = cloud.size();
    for_each_point(n, [&](std::size_t i) {
        if (is_given(sides, i)) normals[i] = sides.given[i];
    });
    if (sides.seen_from) {
        for_each_point(n, [&](std::size_t i) {
            vec3 towards = *sides.seen_from - cloud.places[i];
            if (!is_given(sides, i) && glm::dot(towards, normals[i]) < 0) normals[i] = -normals[i];
        });
        return;
    }
    SideSets sets = spanning_forest(cloud, sides, normals);
    orient_components(cloud, sides, sets, normals);
    orient_outliers(cloud, sides, normals);
    for_each_point(n, [&](std::size_t i) {
        if (is_given(sides, i)) normals[i] = sides.given[i];
    });
}

}  // namespace tl
