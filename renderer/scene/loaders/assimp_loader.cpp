#include "renderer/scene/loaders/assimp_loader.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <glm/gtc/matrix_transform.hpp>
#include <map>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/assimp_import.h"
#include "renderer/scene/loaders/placed_mesh.h"
#include "renderer/scene/loaders/points_and_lines.h"
#include "renderer/scene/loaders/run_apart.h"
#include "renderer/scene/loaders/scene_paths.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/loaders/vertex_colors.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

/// Formats of triangles that assimp reads, less those that the program reads itself.
const std::vector<std::string> kAssimpEndings{
    ".3ds", ".3mf", ".ac",   ".amf", ".ase", ".b3d", ".cob",     ".dae", ".dxf",
    ".fbx", ".ifc", ".lwo",  ".lws", ".md2", ".md3", ".md5mesh", ".mdl", ".ms3d",
    ".nff", ".off", ".ogex", ".q3o", ".smd", ".x",   ".x3d",     ".zae"};

/// A finite colour within 0 to `most`.
vec3 bounded(vec3 color, float most) {
    for (int k = 0; k < 3; ++k)
        color[k] = std::isfinite(color[k]) ? std::clamp(color[k], 0.0f, most) : 0;
    return color;
}

class ImportedReader {
  public:
    ImportedReader(Scene& scene, ImportedModel model, const std::string& path, std::size_t n_bytes,
                   bool with_view, const ReadContext& context)
        : scene_(scene),
          model_(std::move(model)),
          path_(path),
          with_view_(with_view),
          context_(context),
          strokes_(scene, n_bytes) {}

    SceneGaps read(bool with_materials) {
        for (auto& warning : model_.warnings) warn(warning);
        for (auto& material : model_.materials)
            materials_.push_back(with_materials ? add_material(material) : 0);
        std::vector<std::size_t> n_uses(model_.meshes.size(), 0);
        for (auto& place : model_.places) ++n_uses.at(mesh_of(place));
        std::size_t first = scene_.meshes.size();
        for (auto& place : model_.places) add_place(place, n_uses[mesh_of(place)] > 1);
        if (scene_.meshes.size() == first && strokes_.empty())
            throw UserError(path_ +
                            ": has no triangles, lines or points, so there is nothing to draw");
        strokes_.add_to(scene_, path_);
        SceneGaps gaps;
        if (!with_view_) return gaps;
        gaps.camera = !take_camera();
        for (auto& light : model_.lights) add_light(light);
        return gaps;
    }

  private:
    [[nodiscard]] static std::size_t mesh_of(const ImportedPlace& place) {
        return static_cast<std::size_t>(place.mesh);
    }

    std::int32_t add_material(const ImportedMaterial& source) {
        Material m;
        m.name = source.name;
        m.diffuse = bounded(source.diffuse, 1);
        m.specular = bounded(source.specular, 1);
        m.emission = bounded(source.emission, 1e6f);
        m.exponent = std::isfinite(source.shininess) ? std::clamp(source.shininess, 1.0f, 1e6f) : 1;
        m.diffuse_texture = texture(source.diffuse_texture, {});
        m.alpha_texture = texture(source.alpha_texture, {.is_mask = true});
        bool is_cut = m.alpha_texture >= 0;
        if (!is_cut) cut_out_by_diffuse(scene_, m);
        m.normal_texture = texture(source.normal_texture, {.is_srgb = false});
        // Some exporters spell an opaque surface as opacity 0.
        bool refracts = source.opacity > 0 && source.opacity < 1 && !is_cut;
        if (refracts) {
            m.kind = MaterialKind::dielectric;
            m.specular = vec3(1);
            m.ior = source.ior > 1 ? std::min(source.ior, 10.0f) : 1.5f;
        } else if (m.specular != vec3(0) && source.shininess > 0) {
            m.kind = MaterialKind::phong;
        }
        scene_.materials.push_back(std::move(m));
        return static_cast<std::int32_t>(scene_.materials.size() - 1);
    }

    /// The scene's texture; -1 if none is named or, with a warning, if it cannot be read.
    int texture(const ImportedTexture& source, TextureUse use) {
        use.wrap_u = source.wrap_u;
        use.wrap_v = source.wrap_v;
        try {
            if (source.embedded >= 0) return embedded_texture(source.embedded, use);
            std::string name(trimmed(source.path));
            if (name.empty()) return -1;
            auto found = referenced_file(path_, "texture", name,
                                         {std::filesystem::path(path_).parent_path()}, context_);
            return add_texture(scene_, found.string(), use, context_);
        } catch (const UserError& error) {
            warn_once(scene_, std::string(error.what()) + "; its material is plain");
            return -1;
        }
    }

    int embedded_texture(int index, const TextureUse& use) {
        auto [known, is_new] =
            embedded_.try_emplace(std::tuple(index, use.is_srgb, use.is_mask), -1);
        if (!is_new) return known->second;
        auto& image = model_.images.at(static_cast<std::size_t>(index));
        std::string name = path_ + ": image " + std::to_string(index);
        Image16 pixels;
        if (image.width > 0) {
            pixels.extent = {image.width, image.height};
            pixels.rgba.assign(image.bytes.begin(), image.bytes.end());
            if (pixels.rgba.size() != std::size_t{4} * static_cast<std::size_t>(image.width) *
                                          static_cast<std::size_t>(image.height))
                throw UserError(name + " has not the pixels of its size");
        } else {
            pixels = decode_image16(name, image.bytes);
        }
        return known->second = add_texture(scene_, name, std::move(pixels), use);
    }

    /// A mesh of the scene, in its own space.
    Mesh converted(const ImportedMesh& source) const {
        Mesh mesh;
        mesh.name = source.name;
        mesh.positions = source.positions;
        mesh.normals = source.normals;
        mesh.triangles = source.triangles;
        for (auto uv : source.uvs) mesh.uvs.push_back(finite_or_zero(uv));
        mesh.colors = source.colors;
        decode_vertex_colors(mesh.colors);
        for (auto& triangle : mesh.triangles)
            for (int k = 0; k < 3; ++k)
                if (triangle[k] >= mesh.positions.size())
                    throw UserError(path_ + ": mesh '" + mesh.name + "' names vertex " +
                                    std::to_string(triangle[k]) + " of " +
                                    std::to_string(mesh.positions.size()));
        if (mesh.triangles.size() + scene_.triangle_count() > std::size_t{kMostTriangles})
            throw UserError(path_ + ": more than 1,000,000,000 triangles");
        mesh.material_of_triangle.assign(mesh.triangles.size(), material_of(source));
        return mesh;
    }

    [[nodiscard]] std::int32_t material_of(const ImportedMesh& mesh) const {
        auto index = static_cast<std::size_t>(mesh.material);
        return index < materials_.size() ? materials_[index] : 0;
    }

    void add_place(const ImportedPlace& place, bool is_shared) {
        auto& source = model_.meshes[mesh_of(place)];
        add_strokes(source, place.transform);
        if (source.triangles.empty()) return;
        mat4 transform(place.transform);
        auto material = static_cast<std::size_t>(material_of(source));
        bool is_instance = with_view_ && is_shared && transform_fault(transform).empty() &&
                           scene_.materials[material].emission == vec3(0);
        if (is_instance) {
            auto [known, is_new] = shared_.try_emplace(place.mesh, scene_.meshes.size());
            if (is_new) {
                push_mesh(converted(source), glm::dmat4(1));
                scene_.meshes.back().instanced = true;
            }
            scene_.instances.push_back(
                {.mesh = static_cast<std::uint32_t>(known->second), .transform = transform});
        } else {
            push_mesh(converted(source), place.transform);
        }
    }

    void add_strokes(const ImportedMesh& source, const glm::dmat4& transform) {
        if (source.strokes.empty()) return;
        std::vector<vec3> colors = source.colors;
        decode_vertex_colors(colors);
        for (auto stroke : source.strokes) {
            vec3 ends[2];
            for (int k = 0; k < 2; ++k) {
                if (stroke[k] >= source.positions.size())
                    throw UserError(path_ + ": mesh '" + source.name + "' names vertex " +
                                    std::to_string(stroke[k]) + " of " +
                                    std::to_string(source.positions.size()));
                ends[k] = vec3(transform * glm::dvec4(glm::dvec3(source.positions[stroke[k]]), 1));
                if (!(largest(glm::abs(ends[k])) <= float(kLargestCoordinate)))
                    fail_position(source.name);
            }
            vec3 from(1), to(1);
            if (colors.size() == source.positions.size())
                from = colors[stroke.x], to = colors[stroke.y];
            if (stroke.x == stroke.y)
                strokes_.add_point(ends[0], material_of(source), from);
            else
                strokes_.add_line(ends[0], ends[1], material_of(source), from, to);
        }
    }

    [[noreturn]] void fail_position(const std::string& mesh) const {
        throw UserError(path_ + ": mesh '" + mesh +
                        "' has a position that is not finite or beyond 1e15");
    }

    void push_mesh(Mesh mesh, const glm::dmat4& transform) {
        if (!place_mesh(mesh, transform)) fail_position(mesh.name);
        complete_normals(mesh);
        scene_.meshes.push_back(std::move(mesh));
    }

    /// Takes the first camera that can be used; its target is as far ahead as the scene's middle.
    bool take_camera() {
        Box bounds = bounds_of(scene_);
        for (Camera camera : model_.cameras) {
            vec3 view = camera.target - camera.eye;
            float length = glm::length(view), size = glm::length(bounds.hi - bounds.lo);
            if (length > 0) {
                float ahead = glm::dot(0.5f * (bounds.lo + bounds.hi) - camera.eye, view / length);
                camera.target = camera.eye + view / length * std::max(ahead, 0.01f * size);
            }
            std::string fault = camera_fault(camera);
            bool is_upright =
                fault.empty() &&
                glm::length(glm::cross(glm::normalize(view), glm::normalize(camera.up))) > 1e-6f;
            if (is_upright) {
                scene_.camera = camera;
                return true;
            }
            warn("a camera is not used: " + (fault.empty() ? "it looks along its 'up'" : fault));
        }
        return false;
    }

    /// Adds a light. These formats have no physical units. The light gets the power that gives the
    /// middle of the scene the same brightness as the file's colour and attenuation.
    void add_light(const ImportedLight& source) {
        Light light = source.light;
        vec3 color = bounded(light.radiance, 1e9f);
        if (!is_finite(light.position) || !is_finite(light.direction) || color == vec3(0)) return;
        float power = kPi;
        if (light.kind != LightKind::directional) {
            Box bounds = bounds_of(scene_);
            float d = glm::distance(0.5f * (bounds.lo + bounds.hi), light.position);
            d = std::max(d, 1e-3f * glm::length(bounds.hi - bounds.lo));
            vec3 a = source.attenuation;
            float divisor = a.x + a.y * d + a.z * d * d;
            power *= d * d / (divisor > 0 && std::isfinite(divisor) ? divisor : 1.0f);
        }
        light.radiance = bounded(power * color, 1e12f);
        scene_.lights.push_back(light);
    }

    void warn(const std::string& what) { warn_once(scene_, path_ + ": " + what); }

    Scene& scene_;
    ImportedModel model_;
    std::string path_;
    bool with_view_;
    const ReadContext& context_;
    PointsAndLines strokes_;
    std::vector<std::int32_t> materials_;  ///< the scene's materials
    std::map<std::tuple<int, bool, bool>, int> embedded_;
    std::map<std::int32_t, std::size_t> shared_;  ///< meshes that have instances
};

}  // namespace

const std::vector<std::string>& assimp_extensions() {
    static const std::vector<std::string> none;
    return has_assimp() ? kAssimpEndings : none;
}

bool is_assimp_extension(const std::string& ending) {
    return std::ranges::find(kAssimpEndings, ending) != kAssimpEndings.end();
}

SceneGaps add_by_assimp(Scene& scene, const std::string& path, const std::string& ending,
                        bool with_materials, bool with_view, const ReadContext& context) {
    std::size_t size = regular_file_size(path, context);
    // Far more than any undamaged file takes, compressed ones included.
    const ApartLimits limits{.seconds = 60 + (size >> 20),
                             .bytes = (std::size_t{2} << 30) + 64 * size};
    ImportedModel model;
    try {
        auto work = [&](const ReadProgress& progress) {
            return packed(import_by_assimp(path, {{.progress = progress}, context.access}));
        };
        model =
            unpacked(run_apart(work, limits, {kParsing, kJoining, kConverting}, context.progress));
    } catch (const UserError& error) {
        throw UserError(path + ": " + error.what());
    }
    for (auto& place : model.places)
        if (place.mesh < 0 || static_cast<std::size_t>(place.mesh) >= model.meshes.size())
            throw UserError(path + ": a node names mesh " + std::to_string(place.mesh) + " of " +
                            std::to_string(model.meshes.size()));
    // Models for 3D printing lie on a plane z = 0.
    if (with_view && (ending == ".3mf" || ending == ".amf")) scene.camera.up = {0, 0, 1};
    return ImportedReader(scene, std::move(model), path, size, with_view, context)
        .read(with_materials);
}

}  // namespace tl
