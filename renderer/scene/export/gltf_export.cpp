#include "renderer/scene/export/gltf_export.h"

#include <algorithm>
#include <array>
#include <glm/gtc/matrix_transform.hpp>

#include "core/base/error.h"
#include "renderer/scene/export/export_meshes.h"
#include "renderer/scene/export/export_motion.h"
#include "renderer/scene/export/export_nodes.h"
#include "renderer/scene/export/export_view.h"
#include "renderer/scene/export/moment.h"
#include "renderer/scene/export/tessellation.h"
#include "renderer/scene/gltf_extras.h"
#include "renderer/scene/live/animation.h"

namespace tl {
namespace {

/// "1 sphere", "3 spheres".
std::string counted(std::size_t n, const std::string& what) {
    std::string many = what.ends_with('h') ? what + "es" : what + "s";
    return std::to_string(n) + " " + (n == 1 ? what : many);
}

class GltfExporter {
  public:
    GltfExporter(const Scene& scene, const ExportProgress& progress, std::optional<float> time)
        : scene_(scene),
          progress_(progress),
          is_moment_(time.has_value()),
          phase_(phase_of(time.value_or(0), scene.duration)),
          total_(scene.meshes.size() + scene.patches.size() + scene.instances.size() +
                 scene.spheres.size() + scene.splats.size() + scene.lights.size()) {}

    GltfExportReport write(const std::string& path) {
        if (scene_.has_no_geometry() &&
            std::ranges::none_of(scene_.lights, [](auto& l) { return has_surface(l.kind); }))
            throw UserError(path + ": the scene has no surfaces, so there is nothing to export");
        add_root(add_camera_node(file_, scene_.camera));
        for (auto& light : scene_.lights) add_light(light);
        for (auto& mesh : scene_.meshes) add_mesh(mesh);
        for (auto& instance : scene_.instances) add_instance(instance);
        for (auto& set : scene_.patches) add_patches(set);
        for (auto& sphere : scene_.spheres) ++n_alike_[{sphere.material, sphere.radius}];
        for (auto& sphere : scene_.spheres) add_sphere(sphere);
        add_clouds();
        add_splats();
        Json root;
        if (!scene_.name.empty()) root["name"] = scene_.name;
        root["nodes"] = moved_back();
        root["extras"][kGltfBackground] = json_numbers(scene_.background);
        GltfExportReport report;
        report.n_bytes = file_.write(path, std::move(root));
        report.n_triangles = meshes_.triangle_count();
        report.n_meshes = file_.meshes.size();
        report.n_nodes = file_.nodes.size();
        report.n_images = file_.images.size();
        report.warnings = warnings();
        return report;
    }

  private:
    [[nodiscard]] std::size_t n_balls() const {
        auto is_ball = [](const Light& light) { return light.kind == LightKind::sphere; };
        return scene_.spheres.size() +
               static_cast<std::size_t>(std::ranges::count_if(scene_.lights, is_ball));
    }

    void add_root(int node) { roots_.push_back(node); }

    /// The root nodes, or one parent that translates them to the coordinates of the scene's file.
    [[nodiscard]] std::vector<int> moved_back() {
        auto& offset = scene_.offset;
        if (offset == glm::dvec3(0)) return roots_;
        return {file_.nodes.add({{"name", "offset"},
                                 {"translation", {offset.x, offset.y, offset.z}},
                                 {"children", roots_}})};
    }

    /// Counts an object as done.
    void step() {
        ++done_;
        if (progress_ && !progress_(static_cast<int>(done_), static_cast<int>(total_)))
            throw UserError("stopped by Ctrl+C; nothing is written");
    }

    void add_light(const Light& light) {
        step();
        if (!has_surface(light.kind)) {
            add_root(add_light_node(file_, light));
            return;
        }
        vec3 r = light.radiance;
        if (light.kind == LightKind::rectangle) {
            int mesh = meshes_.add_lamp(rectangle_mesh(light), materials_.glowing(r));
            add_root(add_placed(file_, glm::translate(glm::dmat4(1), glm::dvec3(light.position)),
                                mesh_node(mesh, kGltfRectangleLight)));
        } else {
            auto [known, is_new] = mesh_of_lamp_.try_emplace({r.x, r.y, r.z}, -1);
            if (is_new) known->second = meshes_.add_lamp(sphere_, materials_.glowing(r));
            add_ball(known->second, light.position, light.radius, kGltfSphereLight);
        }
    }

    void add_ball(int mesh, vec3 center, float radius, const char* shape) {
        glm::dmat4 place = glm::translate(glm::dmat4(1), glm::dvec3(center));
        add_root(add_placed(file_, glm::scale(place, glm::dvec3(static_cast<double>(radius))),
                            mesh_node(mesh, shape)));
    }

    void add_mesh(const Mesh& mesh) {
        step();
        bool moves = mesh.animation.kind != AnimationKind::none;
        if (mesh.instanced || mesh.triangles.empty()) {
            n_standing_ += moves ? 1 : 0;
        } else if (moves_in_file(mesh.animation)) {
            add_root(
                add_moving(file_, mesh.animation, scene_.duration, mesh_node(meshes_.add(mesh))));
        } else {
            n_standing_ += moves ? 1 : 0;
            add_root(file_.nodes.add(mesh_node(add_standing(mesh))));
        }
    }

    /// Whether a motion is written as such.
    [[nodiscard]] bool moves_in_file(const Animation& animation) const {
        return !is_moment_ && is_exportable(animation, scene_.duration);
    }
    /// Appends a mesh as it is at the moment.
    int add_standing(const Mesh& mesh, std::int32_t material = -1) {
        if (mesh.animation.kind == AnimationKind::none) return meshes_.add(mesh, material);
        return meshes_.add(mesh_at(mesh, phase_, scene_.duration), material);
    }

    void add_instance(const Instance& instance) {
        step();
        auto [known, is_new] =
            mesh_of_instance_.try_emplace({instance.mesh, instance.material}, -1);
        if (is_new) known->second = add_standing(scene_.meshes[instance.mesh], instance.material);
        if (known->second < 0) return;
        if (instance.walk.radius != 0) ++n_walking_;
        glm::dmat4 place(transform_at(instance, phase_, scene_.duration));
        add_root(add_placed(file_, place, mesh_node(known->second)));
    }

    void add_patches(const PatchSet& set) {
        step();
        if (set.size() == 0) return;
        bool moves = moves_in_file(set.animation);
        Mesh mesh = mesh_of_patches(moves ? set : patches_at(set, phase_, scene_.duration));
        n_patch_triangles_ += mesh.triangles.size();
        if (mesh.triangles.empty()) return;
        Json node = mesh_node(meshes_.add(mesh));
        if (!moves && set.animation.kind != AnimationKind::none) ++n_standing_;
        add_root(moves ? add_moving(file_, set.animation, scene_.duration, std::move(node))
                       : file_.nodes.add(node));
    }

    void add_sphere(const Sphere& sphere) {
        constexpr std::size_t kMostNodes = 65'536;  // of spheres that are alike
        step();
        std::pair kind{sphere.material, sphere.radius};
        if (sphere.color != vec3(1) || sphere.emission != vec3(0) || n_alike_[kind] > kMostNodes) {
            clouds_[kind].push_back(&sphere);
            return;
        }
        auto [known, is_new] = mesh_of_sphere_.try_emplace(sphere.material, -1);
        if (is_new) known->second = meshes_.add(sphere_, sphere.material);
        add_ball(known->second, sphere.center, sphere.radius, kGltfSphere);
    }

    /// Writes spheres of one material and radius as points.
    void add_clouds() {
        for (auto& [kind, spheres] : clouds_) {
            Json node = mesh_node(meshes_.add_points(spheres, kind.first), kGltfPoints);
            node["extras"][kGltfRadius] = json_number(double{kind.second});
            add_root(file_.nodes.add(node));
            n_points_ += spheres.size();
        }
    }

    /// Writes the splats of each material as points.
    void add_splats() {
        std::map<std::int32_t, std::vector<const Splat*>> of_material;
        for (auto& splat : scene_.splats) of_material[splat.material].push_back(&splat);
        for (auto& [material, splats] : of_material) {
            add_root(file_.nodes.add(mesh_node(meshes_.add_splats(splats, material), kGltfSplats)));
            for (std::size_t i = 0; i < splats.size(); ++i) step();
        }
    }

    /// Losses and approximations of the file, one line each.
    [[nodiscard]] std::vector<std::string> warnings() const {
        std::vector<std::string> lines = materials_.warnings();
        auto add = [&](bool applies, const std::string& line) {
            if (applies) lines.push_back(line);
        };
        add(n_points_ > 0,
            counted(n_points_, "sphere") + " as points, whose radius Treelight alone reads again");
        add(!scene_.splats.empty(),
            counted(scene_.splats.size(), "splat") +
                " as points with normals, whose radii Treelight alone reads again");
        std::size_t n_gaussians = 0;
        for (auto& set : scene_.gaussians) n_gaussians += set.centers.size();
        add(n_gaussians > 0,
            "without its " + counted(n_gaussians, "Gaussian") + ": glTF has no such geometry");
        std::size_t n_meshes = n_balls() - n_points_;
        add(n_meshes > 0, counted(n_meshes, "sphere") + " of " +
                              std::to_string(sphere_.triangles.size()) +
                              " triangles each; Treelight reads them as spheres again");
        std::size_t n_patches = scene_.patch_count();
        add(n_patches > 0, counted(n_patches, "Bezier patch") + " as " +
                               std::to_string(n_patch_triangles_) + " triangles");
        add(n_walking_ > 0 && !is_moment_,
            counted(n_walking_, "walking instance") + " as at the start: no walks in glTF");
        add(n_standing_ > 0 && !is_moment_,
            counted(n_standing_, "moving mesh") +
                " as at the start: only rigid motion of single meshes is written");
        add(!scene_.environment.empty(),
            "glTF cannot hold the environment map; pass it on as a file of its own");
        add(scene_.camera.lens_radius > 0, "the camera's lens is not written: all is in focus");
        return lines;
    }

    const Scene& scene_;
    const ExportProgress& progress_;
    bool is_moment_;  ///< one moment is written, without motion
    double phase_;    ///< phase of that moment, or of the start
    GlbWriter file_;
    ExportMaterials materials_{scene_, file_};
    ExportMeshes meshes_{file_, materials_};
    const Mesh sphere_ = unit_sphere_mesh(n_balls());
    std::vector<int> roots_;
    std::map<std::pair<std::uint32_t, std::int32_t>, int> mesh_of_instance_;
    std::map<std::int32_t, int> mesh_of_sphere_;
    /// number of spheres of one material and radius
    std::map<std::pair<std::int32_t, float>, std::size_t> n_alike_;
    std::map<std::pair<std::int32_t, float>, std::vector<const Sphere*>> clouds_;
    std::map<std::array<float, 3>, int> mesh_of_lamp_;  ///< mesh of the sphere lights of a radiance
    std::size_t done_ = 0, total_;
    std::size_t n_walking_ = 0, n_standing_ = 0, n_patch_triangles_ = 0, n_points_ = 0;
};

}  // namespace

GltfExportReport export_gltf(const Scene& scene, const std::string& path,
                             const ExportProgress& progress, std::optional<float> time) {
    return GltfExporter(scene, progress, time).write(path);
}

}  // namespace tl
