#include "renderer/scene/generators/implicit_surface.h"

#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

/// Signed distance from a round cone (Quilez); from a ball if one contains the other.
float distance(const RoundCone& cone, vec3 p) {
    vec3 axis = cone.b - cone.a, from_a = p - cone.a;
    float length2 = glm::dot(axis, axis), step = cone.radius_a - cone.radius_b;
    float slant2 = length2 - step * step;
    if (slant2 <= 0) {
        float a = glm::length(from_a) - cone.radius_a;
        return std::min(a, glm::length(p - cone.b) - cone.radius_b);
    }
    float y = glm::dot(from_a, axis), z = y - length2;
    vec3 off = from_a * length2 - axis * y;
    float x2 = glm::dot(off, off), y2 = y * y * length2, z2 = z * z * length2;
    float k = (step > 0 ? 1.0f : step < 0 ? -1.0f : 0.0f) * step * step * x2;
    auto sign = [](float v) { return v > 0 ? 1.0f : v < 0 ? -1.0f : 0.0f; };
    if (sign(z) * slant2 * z2 > k) return std::sqrt(x2 + z2) / length2 - cone.radius_b;
    if (sign(y) * slant2 * y2 < k) return std::sqrt(x2 + y2) / length2 - cone.radius_a;
    return (std::sqrt(x2 * slant2 / length2) + y * step) / length2 - cone.radius_a;
}

/// A smooth minimum: rounded where both values are close.
float smooth_minimum(float a, float b, float blend) {
    float overlap = std::max(blend - std::abs(a - b), 0.0f) / blend;
    return std::min(a, b) - 0.25f * overlap * overlap * blend;
}

}  // namespace

vec4 spline_at(std::span<const vec4> points, float t) {
    auto n = static_cast<int>(points.size());
    float place = std::clamp(t, 0.0f, 1.0f) * static_cast<float>(n - 1);
    int i = std::min(static_cast<int>(place), n - 2);
    float u = place - static_cast<float>(i);
    auto point = [&](int k) { return points[static_cast<std::size_t>(std::clamp(k, 0, n - 1))]; };
    vec4 a = point(i - 1), b = point(i), c = point(i + 1), d = point(i + 2);
    return 0.5f * (2.0f * b + u * (c - a) + u * u * (2.0f * a - 5.0f * b + 4.0f * c - d) +
                   u * u * u * (3.0f * (b - c) + d - a));
}

void ImplicitSurface::add(const RoundCone& cone, float blend, std::int32_t material) {
    parts_.push_back({cone, blend, material});
}

void ImplicitSurface::add_tube(std::span<const vec4> points, int n_parts, float blend,
                               std::int32_t material) {
    for (int i = 0; i < n_parts; ++i) {
        auto at = [&](int k) {
            return spline_at(points, static_cast<float>(k) / static_cast<float>(n_parts));
        };
        vec4 from = at(i), to = at(i + 1);
        add({vec3(from), vec3(to), from.w, to.w}, blend, material);
    }
}

void ImplicitSurface::mirror(std::size_t first) {
    for (std::size_t i = first, end = parts_.size(); i < end; ++i) {
        Part part = parts_[i];
        part.cone.a.x = -part.cone.a.x;
        part.cone.b.x = -part.cone.b.x;
        parts_.push_back(part);
    }
}

float ImplicitSurface::distance(std::span<const Part> parts, vec3 p) {
    float d = 1e9f;
    for (auto& part : parts) d = smooth_minimum(d, tl::distance(part.cone, p), part.blend);
    return d;
}

/// The parts that affect the distance within a ball that the surface may intersect.
std::vector<ImplicitSurface::Part> ImplicitSurface::near(vec3 center, float radius) const {
    float nearest = 1e9f;
    for (auto& part : parts_) nearest = std::min(nearest, tl::distance(part.cone, center));
    std::vector<Part> found;
    for (auto& part : parts_)
        if (tl::distance(part.cone, center) <=
            std::max(nearest, 0.0f) + 2 * radius + 2 * part.blend)
            found.push_back(part);
    return found;
}

std::int32_t ImplicitSurface::material_at(vec3 p) const {
    const Part* nearest = nullptr;
    float least = kInfinity;
    for (auto& part : parts_) {
        float d = tl::distance(part.cone, p);
        if (d < least) {
            least = d;
            nearest = &part;
        }
    }
    return nearest ? nearest->material : 0;
}

/// The distance sampled on a regular lattice, and the surface net of its cells.
class SurfaceNet {
  public:
    SurfaceNet(const ImplicitSurface& surface, float step) : surface_(surface), step_(step) {
        Box bounds;
        for (auto& part : surface.parts_) {
            float margin = 0.25f * part.blend + 2 * step;
            bounds.extend(
                glm::min(part.cone.a - part.cone.radius_a, part.cone.b - part.cone.radius_b) -
                margin);
            bounds.extend(
                glm::max(part.cone.a + part.cone.radius_a, part.cone.b + part.cone.radius_b) +
                margin);
        }
        lo_ = bounds.lo;
        size_ = glm::ivec3((bounds.hi - bounds.lo) / step) + 2;
        require_memory(n_samples() * 8, "the lattice of a surface");
        distances_.resize(n_samples());
        fill();
    }

    /// Two triangles for each edge of the lattice that crosses the surface.
    [[nodiscard]] std::size_t n_triangles() const {
        std::size_t n = 0;
        for_each_crossing([&](glm::ivec3, int) { n += 2; });
        return n;
    }
    [[nodiscard]] Mesh mesh(const char* name);

  private:
    static constexpr int kBlock = 8;  // samples along an edge of a block, whose samples share parts

    [[nodiscard]] std::size_t n_samples() const {
        return std::size_t(size_.x) * std::size_t(size_.y) * std::size_t(size_.z);
    }
    [[nodiscard]] std::size_t index(glm::ivec3 i) const {
        return (std::size_t(i.z) * std::size_t(size_.y) + std::size_t(i.y)) * std::size_t(size_.x) +
               std::size_t(i.x);
    }
    [[nodiscard]] vec3 place(vec3 i) const { return lo_ + step_ * i; }
    [[nodiscard]] bool inside(glm::ivec3 i) const { return distances_[index(i)] < 0; }

    void fill() {
        glm::ivec3 n_blocks = (size_ + (kBlock - 1)) / kBlock;
        tbb::parallel_for(0, n_blocks.x * n_blocks.y * n_blocks.z, [&](int block) {
            fill_block(kBlock * glm::ivec3(block % n_blocks.x, block / n_blocks.x % n_blocks.y,
                                           block / n_blocks.x / n_blocks.y));
        });
    }
    /// Far from the surface, all samples of the block get one distance.
    void fill_block(glm::ivec3 first) {
        vec3 center = place(vec3(first) + 0.5f * (kBlock - 1));
        float radius = 0.5f * std::sqrt(3.0f) * (kBlock + 1) * step_;
        float middle = ImplicitSurface::distance(surface_.parts_, center);
        bool is_far = std::abs(middle) > radius;
        auto parts = is_far ? std::vector<ImplicitSurface::Part>{} : surface_.near(center, radius);
        glm::ivec3 end = glm::min(first + kBlock, size_);
        for (int z = first.z; z < end.z; ++z)
            for (int y = first.y; y < end.y; ++y)
                for (int x = first.x; x < end.x; ++x)
                    distances_[index({x, y, z})] =
                        is_far ? middle : ImplicitSurface::distance(parts, place({x, y, z}));
    }

    /// Visits the edges that cross the surface, except at the rim, where there is no surface.
    template <class Visit>
    void for_each_crossing(Visit visit) const {
        for (int z = 1; z + 1 < size_.z; ++z)
            for (int y = 1; y + 1 < size_.y; ++y)
                for (int x = 1; x + 1 < size_.x; ++x)
                    for (int axis = 0; axis < 3; ++axis) {
                        glm::ivec3 here(x, y, z), next = here;
                        ++next[axis];
                        if (inside(here) != inside(next)) visit(here, axis);
                    }
    }
    [[nodiscard]] vec3 vertex_of(glm::ivec3 cell) const;
    [[nodiscard]] vec3 onto_surface(vec3 p) const;

    const ImplicitSurface& surface_;
    float step_;
    vec3 lo_;
    glm::ivec3 size_;
    std::vector<float> distances_;
};

/// The mean of the points where the cell's edges cross the surface, moved onto the surface.
vec3 SurfaceNet::vertex_of(glm::ivec3 cell) const {
    vec3 sum(0);
    float n = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < 4; ++k) {
            glm::ivec3 from = cell;
            from[(axis + 1) % 3] += k & 1;
            from[(axis + 2) % 3] += k >> 1;
            glm::ivec3 to = from;
            ++to[axis];
            float a = distances_[index(from)], b = distances_[index(to)];
            if ((a < 0) == (b < 0)) continue;
            sum += glm::mix(vec3(from), vec3(to), a / (a - b));
            ++n;
        }
    return onto_surface(place(sum / n));
}

/// A Newton step along the gradient, limited to half of the lattice spacing.
vec3 SurfaceNet::onto_surface(vec3 p) const {
    auto parts = surface_.near(p, step_);
    auto d = [&](vec3 offset) { return ImplicitSurface::distance(parts, p + offset); };
    float e = 0.1f * step_;
    vec3 gradient(d({e, 0, 0}) - d({-e, 0, 0}), d({0, e, 0}) - d({0, -e, 0}),
                  d({0, 0, e}) - d({0, 0, -e}));
    gradient /= 2 * e;
    float slope = glm::length(gradient);
    if (!(slope > 0.1f)) return p;
    float way = std::clamp(-d(vec3(0)) / slope, -0.5f * step_, 0.5f * step_);
    return p + gradient * (way / slope);
}

Mesh SurfaceNet::mesh(const char* name) {
    Mesh mesh = named_mesh(name);
    std::vector<std::uint32_t> vertices(n_samples(), UINT32_MAX);
    auto vertex = [&](glm::ivec3 cell) {
        auto& v = vertices[index(cell)];
        if (v == UINT32_MAX) {
            v = static_cast<std::uint32_t>(mesh.positions.size());
            mesh.positions.push_back(vertex_of(cell));
        }
        return v;
    };
    // The four cells around each edge, counterclockwise seen from the edge's outer end.
    for_each_crossing([&](glm::ivec3 here, int axis) {
        glm::ivec3 u(0), v(0);
        u[(axis + 1) % 3] = v[(axis + 2) % 3] = 1;
        if (!inside(here)) std::swap(u, v);
        std::uint32_t a = vertex(here - u - v), b = vertex(here - v), c = vertex(here),
                      d = vertex(here - u);
        auto& p = mesh.positions;
        if (glm::distance(p[a], p[c]) > glm::distance(p[b], p[d])) {
            add_triangle(mesh, b, c, d, 0);
            add_triangle(mesh, b, d, a, 0);
        } else {
            add_triangle(mesh, a, b, c, 0);
            add_triangle(mesh, a, c, d, 0);
        }
    });
    tbb::parallel_for(std::size_t{0}, mesh.triangles.size(), [&](std::size_t i) {
        auto t = mesh.triangles[i];
        auto& p = mesh.positions;
        mesh.material_of_triangle[i] = surface_.material_at((p[t.x] + p[t.y] + p[t.z]) / 3.0f);
    });
    add_normals(mesh);
    return mesh;
}

Mesh ImplicitSurface::polygons(const char* name, double n_triangles) const {
    Box bounds;
    for (auto& part : parts_) bounds.extend(part.cone.a), bounds.extend(part.cone.b);
    float step = glm::length(bounds.hi - bounds.lo) / 60;
    std::unique_ptr<SurfaceNet> net;
    // The number of triangles is nearly proportional to the inverse square of the lattice spacing.
    for (int i = 0; i < 3; ++i) {
        net = std::make_unique<SurfaceNet>(*this, step);
        double excess = static_cast<double>(net->n_triangles()) / n_triangles;
        if (std::abs(excess - 1) < 0.005) break;
        if (i < 2) step *= static_cast<float>(std::sqrt(excess));
    }
    return net->mesh(name);
}

}  // namespace tl
