#include "renderer/scene/loaders/stl/stl_loader.h"

#include <filesystem>
#include <utility>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/recentre.h"
#include "renderer/scene/loaders/stl/stl_solid.h"
#include "renderer/scene/loaders/texture_files.h"
#include "renderer/scene/loaders/vertex_colors.h"
#include "renderer/scene/normals.h"

namespace tl {
namespace {

StlFile read_stl(const std::string& path, const ReadContext& context) {
    std::string bytes = read_file(path, context);
    std::string_view text = bytes;
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    return is_stl_text(text) ? read_stl_text(text, path, context.progress)
                             : read_stl_bytes(bytes, path, context.progress);
}

std::int32_t add_white_material(Scene& scene) {
    Material& white = scene.materials.emplace_back();
    white.name = "DefaultMaterial";
    white.diffuse = white.specular = vec3(1);
    return static_cast<std::int32_t>(scene.materials.size()) - 1;
}

}  // namespace

void add_stl(Scene& scene, const std::string& path, bool with_materials,
             const ReadContext& context) {
    StlFile file = read_stl(path, context);
    for (auto& warning : file.warnings) warn_once(scene, path + ": " + warning);
    WideBox bounds;
    std::size_t n_triangles = scene.triangle_count();
    for (auto& solid : file.solids) {
        n_triangles += solid.triangles().size();
        for (auto& position : solid.positions()) bounds.extend(position);
    }
    if (n_triangles == scene.triangle_count())
        throw UserError(path + ": has no triangles, so there is nothing to draw");
    if (n_triangles > std::size_t{kMostTriangles})
        throw UserError(path + ": more than 1,000,000,000 triangles");
    scene.offset = recentring_offset(bounds);
    std::int32_t material = with_materials ? add_white_material(scene) : 0;
    for (auto& solid : file.solids) {
        Mesh mesh;
        mesh.name = solid.name();
        if (mesh.name.empty()) mesh.name = std::filesystem::path(path).stem().string();
        mesh.positions = recentred(solid.positions(), scene.offset);
        mesh.triangles = solid.triangles();
        mesh.colors = solid.colors();
        decode_vertex_colors(mesh.colors);
        mesh.material_of_triangle.assign(mesh.triangles.size(), material);
        solid = StlSolid("");  // whose memory is not needed any more
        add_normals(mesh);
        scene.meshes.push_back(std::move(mesh));
    }
}

}  // namespace tl
