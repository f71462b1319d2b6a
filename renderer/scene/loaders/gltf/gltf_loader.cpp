#include "renderer/scene/loaders/gltf/gltf_loader.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "renderer/scene/gltf_extras.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/gltf/gltf_animation.h"
#include "renderer/scene/loaders/gltf/gltf_file.h"
#include "renderer/scene/loaders/gltf/gltf_frames.h"
#include "renderer/scene/loaders/gltf/gltf_geometry.h"
#include "renderer/scene/loaders/gltf/gltf_instances.h"
#include "renderer/scene/loaders/gltf/gltf_materials.h"
#include "renderer/scene/loaders/gltf/gltf_movers.h"
#include "renderer/scene/loaders/gltf/gltf_nodes.h"
#include "renderer/scene/loaders/gltf/gltf_own.h"
#include "renderer/scene/loaders/gltf/gltf_pose.h"
#include "renderer/scene/loaders/gltf/gltf_primitives.h"
#include "renderer/scene/loaders/gltf/gltf_view.h"
#include "renderer/scene/loaders/placed_mesh.h"
#include "renderer/scene/loaders/points/point_cloud.h"
#include "renderer/scene/loaders/points_and_lines.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/transform.h"

namespace tl {
namespace {

using glm::dmat4;
using glm::dvec3;

class GltfReader {
  public:
    GltfReader(Scene& scene, const GltfFile& file, bool with_view)
        : scene_(scene),
          file_(file),
          with_view_(with_view),
          animation_(scene, file),
          frames_(file, animation_),
          movers_(file, animation_),
          view_(scene, file),
          points_and_lines_(scene, file.n_bytes()) {}

    SceneGaps read(std::vector<GltfMaterial> materials) {
        materials_ = std::move(materials);
        for (auto& warning : file_.warnings()) warn(warning);
        if (auto ignored = file_.ignored_extensions(); !ignored.empty())
            warn("extensions that are not used: " + ignored);
        SceneMark mark(scene_);
        for (auto& node : file_.model().nodes)
            if (node.mesh >= 0) ++n_uses_[node.mesh];
        walk();
        if (!points_and_lines_.empty()) points_and_lines_.add_to(scene_, file_.path());
        auto shines = [](const Light& light) { return has_surface(light.kind); };
        if (scene_.meshes.size() == mark.meshes && scene_.spheres.size() == mark.spheres &&
            scene_.splats.size() == mark.splats &&
            std::ranges::none_of(std::span(scene_.lights).subspan(mark.lights), shines))
            file_.fail("its scene has no triangles, lines or points, so there is nothing to draw");
        if (view_.place_camera()) gaps_.camera = false;
        return gaps_;
    }

  private:
    struct Step {
        int node;
        GltfPlacement parent;
    };

    /// The nodes of the file's scene that lie in no other one.
    std::vector<int> roots() {
        auto& model = file_.model();
        if (model.scenes.empty()) return GltfPose::roots(file_);
        auto& source = file_.at(model.scenes, std::max(model.defaultScene, 0), "scene");
        if (auto background = own_background(source); with_view_ && background) {
            scene_.background = *background;
            gaps_.lights = false;
        }
        return source.nodes;
    }

    /// Visits the nodes of the scene in file order.
    void walk() {
        auto& model = file_.model();
        std::vector<Step> open;
        auto push = [&](const std::vector<int>& nodes, const GltfPlacement& parent) {
            for (std::size_t i = nodes.size(); i-- > 0;) open.push_back({nodes[i], parent});
        };
        auto roots = this->roots();
        scene_.offset = recentring_offset(bounds_of_nodes(file_, roots));
        dmat4 recentring = glm::translate(dmat4(1), -scene_.offset);
        frames_.place(recentring);
        push(roots, {.transform = recentring, .within = recentring});
        std::vector<char> seen(model.nodes.size(), 0);
        while (!open.empty()) {
            Step step = open.back();
            open.pop_back();
            auto& node = file_.at(model.nodes, step.node, "node");
            if (std::exchange(seen[static_cast<std::size_t>(step.node)], 1))
                file_.fail("node " + std::to_string(step.node) +
                           " is reached twice; nodes form a tree");
            GltfPlacement place = movers_.place_of(step.node, step.parent);
            visit(node, place);
            push(node.children, place);
        }
    }

    void visit(const tinygltf::Node& node, const GltfPlacement& place) {
        if (node.mesh >= 0) {
            auto& mesh = file_.at(file_.model().meshes, node.mesh, "mesh");
            if (is_instanced(node))
                add_instances(node, mesh, place);
            else if (!add_own_shape(node, mesh, place) && !add_shared(node.mesh, mesh, place))
                for (auto& primitive : mesh.primitives) add_primitive(mesh, primitive, place);
        }
        if (!with_view_) return;
        bool is_seen_from_or_shines =
            node.camera >= 0 || node.extensions.contains("KHR_lights_punctual");
        if (is_seen_from_or_shines && place.moves()) warn("cameras and lights stand still");
        view_.visit(node, place.transform);
    }

    /// Adds the exact surface that a mesh of the program's own export represents. Returns false for
    /// a plain mesh.
    bool add_own_shape(const tinygltf::Node& node, const tinygltf::Mesh& owner,
                       const GltfPlacement& place) {
        if (!with_view_ || place.moves() || owner.primitives.size() != 1) return false;
        std::string shape = own_shape(node);
        if (shape.empty()) return false;
        auto& primitive = owner.primitives[0];
        std::int32_t material = material_of(primitive.material).index;
        vec3 radiance = scene_.materials[static_cast<std::size_t>(material)].emission;
        GltfGeometry geometry(file_, owner, primitive);
        if (shape == kGltfPoints) return add_own_points(node, geometry, place, material);
        if (shape == kGltfSplats) return add_own_splats(geometry, place, material);
        if (shape == kGltfRectangleLight) {
            if (geometry.n_vertices() != 4) return false;
            auto light = rectangle_light(geometry.vectors("POSITION"), place.transform, radiance);
            if (light) scene_.lights.push_back(*light);
            return light.has_value();
        }
        auto sphere = sphere_at(place.transform, material);
        if (!sphere) return false;
        if (shape == kGltfSphereLight)
            scene_.lights.push_back(sphere_light(*sphere, radiance));
        else
            scene_.spheres.push_back(*sphere);
        return true;
    }

    /// Adds the spheres that points of the program's own export represent. Returns false where they
    /// represent none.
    bool add_own_points(const tinygltf::Node& node, const GltfGeometry& geometry,
                        const GltfPlacement& place, std::int32_t material) {
        double radius = own_radius(node);
        std::vector<vec3> positions = geometry.vectors("POSITION"), colors = geometry.colors();
        std::vector<vec3> emission = own_emission(geometry);
        if (!(radius > 0) || geometry.has_corners() || positions.empty()) return false;
        count_bytes(positions.size() * sizeof(Sphere));
        std::vector<Sphere> spheres;
        for (auto& position : positions) {
            dmat4 at = glm::scale(glm::translate(place.transform, dvec3(position)), dvec3(radius));
            auto sphere = sphere_at(at, material);
            if (!sphere) return false;
            if (colors.size() == positions.size()) sphere->color = colors[spheres.size()];
            if (emission.size() == positions.size()) sphere->emission = emission[spheres.size()];
            spheres.push_back(*sphere);
        }
        scene_.spheres.insert(scene_.spheres.end(), spheres.begin(), spheres.end());
        return true;
    }

    static std::vector<vec3> own_emission(const GltfGeometry& geometry) {
        auto emission = geometry.vectors(kGltfEmission);
        tidy_emission(emission);
        return emission;
    }

    /// Adds splats of the program's own export. Returns false where the points are none.
    bool add_own_splats(const GltfGeometry& geometry, const GltfPlacement& place,
                        std::int32_t material) {
        auto positions = geometry.vectors("POSITION"), normals = geometry.vectors("NORMAL");
        auto colors = geometry.colors(), emission = own_emission(geometry);
        auto radii = geometry.numbers(kGltfRadii, 1);
        std::size_t n = positions.size();
        if (geometry.has_corners() || n == 0 || normals.size() != n || radii.size() != n)
            return false;
        count_bytes(n * sizeof(Splat));
        const glm::dmat3 for_normals = glm::transpose(glm::inverse(glm::dmat3(place.transform)));
        std::vector<Splat> splats;
        for (std::size_t i = 0; i < n; ++i) {
            dmat4 at = glm::scale(glm::translate(place.transform, dvec3(positions[i])),
                                  dvec3(double{radii[i]}));
            auto ball = sphere_at(at, material);
            dvec3 normal = for_normals * dvec3(normals[i]);
            double length = glm::length(normal);
            if (!ball || !(length > 0) || !std::isfinite(length)) return false;
            splats.push_back({.center = ball->center,
                              .radius = ball->radius,
                              .normal = vec3(normal / length),
                              .material = material,
                              .color = colors.size() == n ? colors[i] : vec3(1),
                              .emission = emission.size() == n ? emission[i] : vec3(0)});
        }
        scene_.splats.insert(scene_.splats.end(), splats.begin(), splats.end());
        return true;
    }

    /// The scene's only copy of a mesh that has instances, with all of its primitives; none if it
    /// has no triangles.
    std::optional<std::uint32_t> shared_mesh(int index, const tinygltf::Mesh& owner) {
        auto [known, is_new] = shared_.try_emplace(index);
        if (!is_new) return known->second;
        std::size_t first = scene_.meshes.size();
        for (auto& primitive : owner.primitives) add_primitive(owner, primitive, {});
        if (scene_.meshes.size() == first) return {};
        merge_meshes(scene_, first);
        scene_.meshes[first].instanced = true;
        return known->second = static_cast<std::uint32_t>(first);
    }

    /// Adds a mesh of several nodes as an instance, if the glTF file is the scene itself. Returns
    /// false for what cannot be one: what moves, is flattened, or is a source of light.
    bool add_shared(int index, const tinygltf::Mesh& owner, const GltfPlacement& place) {
        glm::mat4 transform(place.transform);
        if (!with_view_ || n_uses_[index] < 2 || place.moves() || frames_.deforms(place.node) ||
            !transform_fault(transform).empty() || glows(owner) ||
            std::ranges::any_of(owner.primitives, has_no_width))
            return false;
        if (auto mesh = shared_mesh(index, owner))
            scene_.instances.push_back({.mesh = *mesh, .transform = transform});
        return true;
    }

    [[nodiscard]] bool glows(const tinygltf::Mesh& owner) const {
        return std::ranges::any_of(owner.primitives, [&](auto& primitive) {
            auto material = static_cast<std::size_t>(material_of(primitive.material).index);
            return scene_.materials[material].emission != vec3(0);
        });
    }

    /// Adds copies of a mesh: as instances if the glTF file is the scene itself, but as plain
    /// meshes for a scene file's [[mesh]], which may move or merge them afterwards.
    void add_instances(const tinygltf::Node& node, const tinygltf::Mesh& owner,
                       const GltfPlacement& place) {
        if (place.moves()) warn("instances stand still");
        std::optional<std::uint32_t> shared;
        bool may_share = with_view_ && std::ranges::none_of(owner.primitives, has_no_width);
        if (may_share) shared = shared_mesh(node.mesh, owner);
        if (may_share && !shared) return;
        std::vector<dmat4> copies = instance_transforms(file_, node);
        count_bytes(copies.size() * sizeof(Instance));
        for (const dmat4& copy : copies) {
            glm::mat4 transform(place.transform * copy);
            if (auto fault = transform_fault(transform); !fault.empty())
                warn("an instance is left out: " + fault);
            else if (shared)
                scene_.instances.push_back({.mesh = *shared, .transform = transform});
            else
                for (auto& primitive : owner.primitives)
                    add_primitive(owner, primitive, {.transform = place.transform * copy});
        }
    }

    void add_primitive(const tinygltf::Mesh& owner, const tinygltf::Primitive& source,
                       const GltfPlacement& place) {
        int mode = source.mode < 0 ? TINYGLTF_MODE_TRIANGLES : source.mode;
        if (mode > TINYGLTF_MODE_TRIANGLE_FAN) {
            warn("primitives of mode " + std::to_string(mode) +
                 ", which glTF has not, are left out");
            return;
        }
        if (has_no_width(source)) return collect_points_or_lines(owner, source, place);
        GltfGeometry geometry(file_, owner, source);
        if (auto* missing = geometry.missing_data()) warn(missing);
        Mesh mesh = read_triangles(file_, owner, source, geometry, material_of(source.material));
        if (mesh.triangles.empty()) return;
        if (mesh.triangles.size() + scene_.triangle_count() > std::size_t{kMostTriangles})
            file_.fail("more than 1,000,000,000 triangles");
        count_bytes(mesh.positions.size() * (2 + 2 * source.targets.size()) * sizeof(vec3) +
                    mesh.uvs.size() * sizeof(vec2) + mesh.colors.size() * sizeof(vec3) +
                    mesh.triangles.size() * (sizeof(glm::uvec3) + sizeof(std::int32_t)));
        GltfDeformation deformation(file_, geometry, source, mesh, frames_.skin_of(place.node));
        if (deformation.n_targets() > 0 || deformation.has_skin())
            place_deformed(mesh, deformation, owner, place);
        else
            put(mesh, place);
        scene_.meshes.push_back(std::move(mesh));
    }

    /// Takes a primitive of points or lines, which stand still.
    void collect_points_or_lines(const tinygltf::Mesh& owner, const tinygltf::Primitive& source,
                                 const GltfPlacement& place) {
        if (place.moves() || frames_.skin_of(place.node) >= 0) warn("points and lines stand still");
        GltfCurves curves = read_curves(file_, owner, source);
        for (auto& position : curves.positions) position = placed(position, place.transform, owner);
        count_bytes((curves.points.size() + curves.lines.size()) * sizeof(Sphere));
        std::int32_t material = material_of(source.material).index;
        auto color_of = [&](std::uint32_t v) {
            return curves.colors.empty() ? vec3(1) : curves.colors[v];
        };
        for (auto v : curves.points)
            points_and_lines_.add_point(curves.positions[v], material, color_of(v));
        for (auto line : curves.lines)
            points_and_lines_.add_line(curves.positions[line.x], curves.positions[line.y], material,
                                       color_of(line.x), color_of(line.y));
    }

    [[nodiscard]] vec3 placed(vec3 position, const dmat4& transform,
                              const tinygltf::Mesh& owner) const {
        dvec3 moved = transform * glm::dvec4(dvec3(position), 1);
        for (int k = 0; k < 3; ++k)
            if (!(std::abs(moved[k]) <= kLargestCoordinate)) fail_position(owner.name);
        return vec3(moved);
    }

    void place_deformed(Mesh& mesh, const GltfDeformation& deformation, const tinygltf::Mesh& owner,
                        const GltfPlacement& place) {
        count_bytes(deformation.n_joints() * sizeof(dmat4));
        if (frames_.moves(deformation, place.node)) {
            if (frames_.sample(mesh, deformation, owner, place.node)) {
                scene_.duration = std::max(scene_.duration, animation_.length());
                return;
            }
            warn("meshes of too many vertices or nodes stand as at rest");
        }
        frames_.rest(mesh, deformation, owner, place.node);
        if (deformation.has_skin())
            move(mesh, dmat4(1));
        else
            put(mesh, place);
    }

    /// Puts a mesh where its node is or moves.
    void put(Mesh& mesh, const GltfPlacement& place) {
        std::optional<RigidMotion> motion;
        if (place.moves()) {
            motion = movers_.motion_at(place);
            if (!motion) warn("meshes within too many moving nodes stand still");
        }
        move(mesh, motion ? place.rest() : place.transform);
        if (!motion) return;
        mesh.animation.kind = AnimationKind::rigid;
        mesh.animation.rigid = std::move(*motion);
        mesh.animation.period = animation_.length();
        scene_.duration = std::max(scene_.duration, animation_.length());
    }

    /// Refuses a file that copies the same data too often, other than as instances.
    void count_bytes(std::size_t n_bytes) {
        constexpr std::size_t kAlwaysTaken = std::size_t{512} << 20, kMostPerByte = 256;
        n_bytes_ += n_bytes;
        if (n_bytes_ > std::max(kAlwaysTaken, kMostPerByte * file_.n_bytes()))
            file_.fail("its meshes take more than " + std::to_string(kMostPerByte) +
                       " times the memory of the file, and more than 512 MiB: they repeat the "
                       "same data; open it by itself, or export it without copies");
    }

    GltfMaterial material_of(int index) const {
        if (index < 0 || materials_.empty()) return {};
        return file_.at(materials_, index, "material");
    }

    void move(Mesh& mesh, const dmat4& transform) const {
        if (!place_mesh(mesh, transform)) fail_position(mesh.name);
    }
    [[noreturn]] void fail_position(const std::string& name) const {
        file_.fail("mesh '" + name + "' has a position that is not finite or beyond 1e15");
    }

    void warn(const std::string& what) { warn_once(scene_, file_.path() + ": " + what); }

    Scene& scene_;
    const GltfFile& file_;
    bool with_view_;
    GltfAnimation animation_;
    GltfFrames frames_;
    GltfMovers movers_;
    GltfView view_;
    PointsAndLines points_and_lines_;
    std::size_t n_bytes_ = 0;  ///< bytes of all that the file added
    std::vector<GltfMaterial> materials_;
    std::map<int, std::size_t> n_uses_;                     ///< nodes of each mesh
    std::map<int, std::optional<std::uint32_t>> shared_{};  ///< meshes that have instances
    SceneGaps gaps_;
};

}  // namespace

SceneGaps add_gltf(Scene& scene, const std::string& path, bool with_materials, bool with_view,
                   const ReadContext& context) {
    GltfFile file(path, context);
    std::vector<GltfMaterial> materials;
    if (with_materials) materials = add_gltf_materials(scene, file);
    file.begin_parsing();
    auto gaps = GltfReader(scene, file, with_view).read(std::move(materials));
    file.end_parsing();
    return gaps;
}

}  // namespace tl
