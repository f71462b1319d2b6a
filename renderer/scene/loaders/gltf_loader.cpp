#include "renderer/scene/loaders/gltf_loader.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "renderer/scene/gltf_extras.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/gltf_animation.h"
#include "renderer/scene/loaders/gltf_file.h"
#include "renderer/scene/loaders/gltf_frames.h"
#include "renderer/scene/loaders/gltf_geometry.h"
#include "renderer/scene/loaders/gltf_instances.h"
#include "renderer/scene/loaders/gltf_materials.h"
#include "renderer/scene/loaders/gltf_nodes.h"
#include "renderer/scene/loaders/gltf_own.h"
#include "renderer/scene/loaders/gltf_pose.h"
#include "renderer/scene/loaders/gltf_view.h"
#include "renderer/scene/loaders/placed_mesh.h"
#include "renderer/scene/loaders/points_and_lines.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/transform.h"

namespace tl {
namespace {

using glm::dmat3;
using glm::dmat4;
using glm::dvec3;

/// Converts lists, strips and fans to triangles with consistent orientation.
std::vector<glm::uvec3> triangles_of(const std::vector<std::uint32_t>& corners, int mode) {
    std::vector<glm::uvec3> triangles;
    if (mode == TINYGLTF_MODE_TRIANGLES) {
        for (std::size_t i = 0; i + 2 < corners.size(); i += 3)
            triangles.emplace_back(corners[i], corners[i + 1], corners[i + 2]);
        return triangles;
    }
    for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
        if (mode == TINYGLTF_MODE_TRIANGLE_FAN)
            triangles.emplace_back(corners[0], corners[i + 1], corners[i + 2]);
        else
            triangles.emplace_back(corners[i], corners[i + 1 + i % 2], corners[i + 2 - i % 2]);
    }
    return triangles;
}

/// The memory that a joint takes, bytes.
std::size_t size_of(const Joint& joint) {
    auto keys = [](const auto& track) {
        return std::span(track.times).size_bytes() + std::span(track.values).size_bytes();
    };
    return sizeof joint + keys(joint.translation) + keys(joint.rotation) + keys(joint.scale);
}

/// Whether a primitive is of points or lines.
bool has_no_width(const tinygltf::Primitive& primitive) {
    return primitive.mode >= TINYGLTF_MODE_POINTS && primitive.mode < TINYGLTF_MODE_TRIANGLES;
}

/// The ends of a primitive's lines, as indices of its corners.
std::vector<glm::uvec2> lines_of(const std::vector<std::uint32_t>& corners, int mode) {
    std::vector<glm::uvec2> lines;
    std::size_t step = mode == TINYGLTF_MODE_LINE ? 2 : 1;
    for (std::size_t i = 0; i + 1 < corners.size(); i += step)
        lines.emplace_back(corners[i], corners[i + 1]);
    if (mode == TINYGLTF_MODE_LINE_LOOP && corners.size() > 2)
        lines.emplace_back(corners.back(), corners.front());
    return lines;
}

class GltfReader {
  public:
    GltfReader(Scene& scene, const GltfFile& file, bool with_view)
        : scene_(scene),
          file_(file),
          with_view_(with_view),
          animation_(scene, file),
          frames_(file, animation_),
          view_(scene, file),
          points_and_lines_(scene, file.n_bytes()) {}

    SceneGaps read(std::vector<GltfMaterial> materials) {
        materials_ = std::move(materials);
        if (auto ignored = file_.ignored_extensions(); !ignored.empty())
            warn("extensions that are not used: " + ignored);
        SceneMark mark(scene_);
        for (auto& node : file_.model().nodes)
            if (node.mesh >= 0) ++n_uses_[node.mesh];
        walk();
        if (!points_and_lines_.empty()) points_and_lines_.add_to(scene_, file_.path());
        auto shines = [](const Light& light) { return has_surface(light.kind); };
        if (scene_.meshes.size() == mark.meshes && scene_.spheres.size() == mark.spheres &&
            std::ranges::none_of(std::span(scene_.lights).subspan(mark.lights), shines))
            file_.fail("its scene has no triangles, lines or points, so there is nothing to draw");
        if (view_.place_camera()) gaps_.camera = false;
        return gaps_;
    }

  private:
    /// An animated node; its index in movers_ counts it.
    struct Mover {
        int node;
        int outer;      ///< the next animated node above it; -1: none
        dmat4 between;  ///< from the node's parent to that one, or to the world
    };
    /// The placement of a node at rest, and the innermost animated node that moves it.
    struct Place {
        dmat4 transform{1};  ///< to world space
        int mover = -1;      ///< the node itself or one above it; -1: it stands still
        dmat4 within{1};     ///< from the node to the mover
        int node = -1;       ///< -1: a copy of the mesh

        [[nodiscard]] bool moves() const { return mover >= 0; }
    };
    struct Step {
        int node;
        Place parent;
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
        auto push = [&](const std::vector<int>& nodes, const Place& parent) {
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
            Place place = place_of(step);
            visit(node, place);
            push(node.children, place);
        }
    }

    [[nodiscard]] Place place_of(const Step& step) {
        dmat4 local = local_transform(file_.model().nodes[static_cast<std::size_t>(step.node)]);
        Place place = step.parent;
        place.transform *= local;
        place.node = step.node;
        if (animation_.joint_of(step.node)) {
            movers_.push_back({step.node, place.mover, std::exchange(place.within, dmat4(1))});
            place.mover = static_cast<int>(movers_.size()) - 1;
        } else {
            place.within *= local;
        }
        return place;
    }

    void visit(const tinygltf::Node& node, const Place& place) {
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

    /// Adds the exact surface that a mesh of the program's own export stands for. Returns false
    /// where it stands for itself.
    bool add_own_shape(const tinygltf::Node& node, const tinygltf::Mesh& owner,
                       const Place& place) {
        if (!with_view_ || place.moves() || owner.primitives.size() != 1) return false;
        std::string shape = own_shape(node);
        if (shape.empty()) return false;
        auto& primitive = owner.primitives[0];
        std::int32_t material = material_of(primitive.material).index;
        vec3 radiance = scene_.materials[static_cast<std::size_t>(material)].emission;
        GltfGeometry geometry(file_, owner, primitive);
        if (shape == kGltfPoints) return add_own_points(node, geometry, place, material);
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

    /// Adds the spheres that points of the program's own export stand for. Returns false where they
    /// do not.
    bool add_own_points(const tinygltf::Node& node, const GltfGeometry& geometry,
                        const Place& place, std::int32_t material) {
        double radius = own_radius(node);
        std::vector<vec3> positions = geometry.vectors("POSITION"), colors = geometry.colors();
        if (!(radius > 0) || geometry.has_corners() || positions.empty()) return false;
        count_bytes(positions.size() * sizeof(Sphere));
        std::vector<Sphere> spheres;
        for (auto& position : positions) {
            dmat4 at = glm::scale(glm::translate(place.transform, dvec3(position)), dvec3(radius));
            auto sphere = sphere_at(at, material);
            if (!sphere) return false;
            if (colors.size() == positions.size()) sphere->color = colors[spheres.size()];
            spheres.push_back(*sphere);
        }
        scene_.spheres.insert(scene_.spheres.end(), spheres.begin(), spheres.end());
        return true;
    }

    /// The scene's only copy of a mesh that instances place, with all of its primitives; none if
    /// it has no triangles.
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
    bool add_shared(int index, const tinygltf::Mesh& owner, const Place& place) {
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
                       const Place& place) {
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
                       const Place& place) {
        int mode = source.mode < 0 ? TINYGLTF_MODE_TRIANGLES : source.mode;
        if (mode > TINYGLTF_MODE_TRIANGLE_FAN) {
            warn("primitives of mode " + std::to_string(mode) +
                 ", which glTF has not, are left out");
            return;
        }
        if (has_no_width(source)) return collect_points_or_lines(owner, source, place);
        Mesh mesh;
        mesh.name = owner.name;
        GltfGeometry geometry(file_, owner, source);
        std::vector<std::uint32_t> corners;
        if (geometry.has_corners()) {
            corners = geometry.corners();
            if (corners.size() < 3) return;
        }
        mesh.positions = geometry.vectors("POSITION");
        mesh.normals = geometry.vectors("NORMAL");
        if (mesh.positions.empty()) file_.fail("mesh '" + owner.name + "' has no positions");
        if (!mesh.normals.empty() && mesh.normals.size() != mesh.positions.size())
            file_.fail("mesh '" + owner.name + "' has another count of normals than of positions");
        GltfMaterial material = material_of(source.material);
        read_uvs(geometry, material, mesh);
        mesh.colors = geometry.colors();
        if (!mesh.colors.empty() && mesh.colors.size() != mesh.positions.size())
            file_.fail("mesh '" + owner.name + "' has another count of colours than of positions");

        if (!geometry.has_corners()) {
            corners.resize(mesh.positions.size());
            std::iota(corners.begin(), corners.end(), 0u);
        }
        check_corners(corners, mesh.positions.size(), owner);
        mesh.triangles =
            triangles_of(corners, geometry.is_decoded() ? TINYGLTF_MODE_TRIANGLES : mode);
        if (mesh.triangles.empty()) return;
        if (mesh.triangles.size() + scene_.triangle_count() > std::size_t{kMostTriangles})
            file_.fail("more than 1,000,000,000 triangles");
        count_bytes(mesh.positions.size() * (2 + 2 * source.targets.size()) * sizeof(vec3) +
                    mesh.uvs.size() * sizeof(vec2) + mesh.colors.size() * sizeof(vec3) +
                    mesh.triangles.size() * (sizeof(glm::uvec3) + sizeof(std::int32_t)));
        mesh.material_of_triangle.assign(mesh.triangles.size(), material.index);
        GltfDeformation deformation(file_, geometry, source, mesh, frames_.skin_of(place.node));
        if (deformation.n_targets() > 0 || deformation.has_skin())
            place_deformed(mesh, deformation, owner, place);
        else
            put(mesh, place);
        scene_.meshes.push_back(std::move(mesh));
    }

    /// Takes a primitive of points or lines, which stand still.
    void collect_points_or_lines(const tinygltf::Mesh& owner, const tinygltf::Primitive& source,
                                 const Place& place) {
        if (place.moves() || frames_.skin_of(place.node) >= 0) warn("points and lines stand still");
        GltfGeometry geometry(file_, owner, source);
        std::vector<std::uint32_t> corners;
        if (geometry.has_corners()) corners = geometry.corners();
        std::vector<vec3> positions = geometry.vectors("POSITION"), colors = geometry.colors();
        if (positions.empty()) file_.fail("mesh '" + owner.name + "' has no positions");
        if (!colors.empty() && colors.size() != positions.size())
            file_.fail("mesh '" + owner.name + "' has another count of colours than of positions");
        for (auto& position : positions) position = placed(position, place.transform, owner);
        if (!geometry.has_corners()) {
            corners.resize(positions.size());
            std::iota(corners.begin(), corners.end(), 0u);
        }
        check_corners(corners, positions.size(), owner);
        count_bytes(corners.size() * sizeof(Sphere));
        std::int32_t material = material_of(source.material).index;
        auto color_of = [&](std::uint32_t v) { return colors.empty() ? vec3(1) : colors[v]; };
        if (source.mode == TINYGLTF_MODE_POINTS) {
            for (auto v : corners) points_and_lines_.add_point(positions[v], material, color_of(v));
            return;
        }
        for (auto line : lines_of(corners, source.mode))
            points_and_lines_.add_line(positions[line.x], positions[line.y], material,
                                       color_of(line.x), color_of(line.y));
    }

    [[nodiscard]] vec3 placed(vec3 position, const dmat4& transform,
                              const tinygltf::Mesh& owner) const {
        dvec3 moved = transform * glm::dvec4(dvec3(position), 1);
        for (int k = 0; k < 3; ++k)
            if (!(std::abs(moved[k]) <= kLargestCoordinate)) fail_position(owner.name);
        return vec3(moved);
    }

    void check_corners(std::span<const std::uint32_t> corners, std::size_t n_vertices,
                       const tinygltf::Mesh& owner) const {
        for (auto corner : corners)
            if (corner >= n_vertices)
                file_.fail("mesh '" + owner.name + "' names vertex " + std::to_string(corner) +
                           "; it has 0 to " + std::to_string(n_vertices - 1));
    }

    void place_deformed(Mesh& mesh, const GltfDeformation& deformation, const tinygltf::Mesh& owner,
                        const Place& place) {
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
    void put(Mesh& mesh, const Place& place) {
        std::vector<int> movers = movers_of(place);
        if (movers.empty())
            move(mesh, place.transform);
        else
            set_in_motion(mesh, place, movers);
    }

    /// Refuses a file that uses the same data again and again without being instances of it.
    void count_bytes(std::size_t n_bytes) {
        constexpr std::size_t kAlwaysTaken = std::size_t{512} << 20, kMostPerByte = 256;
        n_bytes_ += n_bytes;
        if (n_bytes_ > std::max(kAlwaysTaken, kMostPerByte * file_.n_bytes()))
            file_.fail("its meshes take more than " + std::to_string(kMostPerByte) +
                       " times the memory of the file, and more than 512 MiB: they repeat the "
                       "same data; open it by itself, or export it without copies");
    }

    /// The animated nodes that move a mesh, the outermost first; none, with a warning, where all
    /// meshes together have too many keys, since each has its own copy of those of the nodes above.
    std::vector<int> movers_of(const Place& place) {
        constexpr std::size_t kAlwaysTaken = std::size_t{64} << 20, kMostPerByte = 16;
        const std::size_t most = std::max(kAlwaysTaken, kMostPerByte * file_.n_bytes());
        std::vector<int> movers;
        std::size_t n_bytes = 0;
        for (int i = place.mover; i >= 0; i = movers_[static_cast<std::size_t>(i)].outer) {
            movers.push_back(i);
            n_bytes += size_of(*animation_.joint_of(movers_[static_cast<std::size_t>(i)].node));
            if (n_bytes > most - motion_bytes_) {
                warn("meshes within too many moving nodes stand still");
                return {};
            }
        }
        motion_bytes_ += n_bytes;
        std::ranges::reverse(movers);
        return movers;
    }

    /// Places a mesh at rest, and gives it the motion of the nodes above it. A mesh whose rest
    /// scale is 0 stays in its own space.
    void set_in_motion(Mesh& mesh, const Place& place, const std::vector<int>& movers) {
        bool is_flat = !(std::abs(glm::determinant(dmat3(place.transform))) > 0);
        move(mesh, is_flat ? dmat4(1) : place.transform);
        RigidMotion motion;
        motion.joints.reserve(movers.size());
        for (int index : movers) {
            auto& mover = movers_[static_cast<std::size_t>(index)];
            Joint& joint = motion.joints.emplace_back(*animation_.joint_of(mover.node));
            joint.placement = mover.between;
        }
        motion.rest = is_flat ? place.within : place.within * glm::inverse(place.transform);
        mesh.animation.kind = AnimationKind::rigid;
        mesh.animation.rigid = std::move(motion);
        mesh.animation.period = animation_.length();
        scene_.duration = std::max(scene_.duration, animation_.length());
    }

    void read_uvs(const GltfGeometry& source, const GltfMaterial& material, Mesh& mesh) const {
        std::vector<float> values =
            source.numbers(("TEXCOORD_" + std::to_string(material.uv_set)).c_str(), 2);
        if (!values.empty() && values.size() != 2 * mesh.positions.size())
            file_.fail("mesh '" + mesh.name +
                       "' has another count of texture coordinates than of positions");
        for (std::size_t i = 0; i < values.size(); i += 2) {
            dvec3 at = material.uv_transform * dvec3(values[i], values[i + 1], 1);
            // In glTF, v starts at the upper edge.
            mesh.uvs.push_back(finite_or_zero(vec2(at.x, 1 - at.y)));
        }
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
    GltfView view_;
    PointsAndLines points_and_lines_;
    std::vector<Mover> movers_{};
    std::size_t motion_bytes_ = 0;  ///< of the joints of all meshes
    std::size_t n_bytes_ = 0;       ///< of all that the file added
    std::vector<GltfMaterial> materials_;
    std::map<int, std::size_t> n_uses_;                     ///< nodes of each mesh
    std::map<int, std::optional<std::uint32_t>> shared_{};  ///< meshes that instances place
    SceneGaps gaps_;
};

}  // namespace

SceneGaps add_gltf(Scene& scene, const std::string& path, bool with_materials, bool with_view) {
    GltfFile file(path);
    std::vector<GltfMaterial> materials;
    if (with_materials) materials = add_gltf_materials(scene, file);
    return GltfReader(scene, file, with_view).read(std::move(materials));
}

}  // namespace tl
