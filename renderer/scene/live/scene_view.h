// A scene for kernels: plain structs and pointers into device memory.
#pragma once

#include "accel/gaussians/gaussians.h"
#include "accel/tree.h"
#include "core/base/enum_names.h"
#include "renderer/scene/alias_table.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/light_tree.h"

namespace tl {

struct GgxTables;

/// Shading data of a Material.
struct MaterialData {
    vec3 diffuse;
    MaterialKind kind;
    vec3 specular;
    float exponent;
    vec3 transmission;
    float ior;
    vec3 emission;
    std::int32_t diffuse_texture;
    vec3 absorption;
    std::int16_t priority;
    std::uint16_t medium;  ///< index among the scene's dielectrics, from 1; 0: not tracked
    std::int32_t alpha_texture;
    float alpha_cutoff;
    std::int32_t normal_texture;
    float normal_scale;
    float alpha;          ///< mirror, dielectric: GGX's alpha; 0: smooth
    std::int32_t layers;  ///< index into SceneView::layers; -1: none
    std::int32_t emission_texture;
};
static_assert(sizeof(MaterialData) == 108);

/// Shading data of SurfaceLayers, whose diffuse texture and emission are the material's.
struct LayersData {
    vec3 base;
    float metallic;
    vec3 reflectance;
    float roughness;
    float transmission;
    float coat;
    float coat_alpha;
    std::int32_t texture;
};
static_assert(sizeof(LayersData) == 48);

/// An environment map, with the CDFs for sampling it: over rows, and in each row over columns.
struct EnvironmentData {
    const vec3* texels = nullptr;       ///< radiance, row 0 is up
    const float* row_cdf = nullptr;     ///< height + 1 numbers from 0 to 1
    const float* column_cdf = nullptr;  ///< width + 1 for each row
    std::int32_t width = 0, height = 0;
    float turn = 0;  ///< rotation about y, counterclockwise seen from above, in full circles
};
static_assert(sizeof(EnvironmentData) == 40);

/// A Light with precomputed values for sampling, or an emissive triangle, patch or splat.
struct alignas(16) LightData {
    vec3 position;
    LightKind kind;
    vec3 edge_u;
    float area;  ///< rectangle, triangle; patch: approximate, at rest; splat: that of the rectangle
    vec3 edge_v;      ///< splat: position and edges are those of a rectangle around its cell
    float radius;     ///< sphere, splat
    vec3 normal;      ///< rectangle, triangle, splat: side it emits to; directional: light's
                      ///< direction; spot: axis
    float cos_outer;  ///< spot: cosine of the angle from which there is no light
    vec3 radiance;
    float cos_falloff;  ///< spot: increase of the cosine to full intensity
    const EnvironmentData* environment;
    std::uint32_t surface;  ///< triangle, patch, splat: index among the scene's
    /// Material whose textures multiply its radiance: an emission, or holes; -1: none.
    std::int32_t textured_material = -1;
};
static_assert(sizeof(LightData) == 96);

struct SphereData {
    vec3 center;
    float radius;
    std::int32_t material;
};
static_assert(sizeof(SphereData) == 20);

/// Linear RGBA in [0, 1], precise enough to distinguish all levels of 8-bit sRGB and averages.
struct alignas(8) Texel {
    std::uint16_t r, g, b, a;
};
static_assert(sizeof(Texel) == 8);

/// A Splat with its field of normals: the normal at the centre plus `bend` times the offset from
/// the centre.
struct alignas(16) SplatData {
    vec3 center;
    float radius;
    vec3 normal;
    std::int32_t material;
    float bend[6];  ///< 1/m; a symmetric matrix: xx, xy, xz, yy, yz, zz
    Texel color;
};
static_assert(sizeof(SplatData) == 64);

/// Cell of a splat on an emissive surface: the part of its disc that no neighbour owns
/// (renderer/shading/splat_cells.h). Its emission is constant there.
struct alignas(16) SplatCell {
    static constexpr std::uint32_t kNeighbours = 12;
    vec3 emission;       ///< W/(sr m^2), the material's included
    std::int32_t light;  ///< index among the lights of splats; -1: dark, or without area
    /// Splats whose cells border on this one; SplatsView::kNone marks the end of a shorter list.
    std::uint32_t neighbours[kNeighbours];
};
static_assert(sizeof(SplatCell) == 64);

/// Splats of the scene, each with a list of those that overlap it and face about the same way.
struct SplatsView {
    static constexpr std::uint32_t kNeighbours = 8;
    static constexpr std::uint32_t kNone = 0xffffffffu;
    const SplatData* splats = nullptr;  ///< null: there are none
    /// kNeighbours entries per splat, nearest first; kNone marks the end of a shorter list.
    const std::uint32_t* neighbours = nullptr;
    std::uint32_t n = 0;
    /// Index of each splat's cell; -1 where neither it nor a splat that overlaps it emits. Null
    /// where no splat emits.
    const std::int32_t* cell_of = nullptr;
    const SplatCell* cells = nullptr;
};

/// A level of a texture, row 0 at the top.
struct MipLevel {
    std::uint64_t first_texel;
    std::int32_t width, height;
};
static_assert(sizeof(MipLevel) == 16);

struct TextureData {
    std::uint32_t first_level;  ///< index of the finest level
    std::int32_t n_levels;
    TextureWrap wrap_u, wrap_v;
};
static_assert(sizeof(TextureData) == 16);

/// Texture filtering.
enum class TextureFilter : std::int32_t {
    nearest,   ///< one texel
    bilinear,  ///< bilinear, in the finest level
    mip,       ///< trilinear: two levels by the footprint, bilinear in each
};
[[nodiscard]] constexpr auto names_of(TextureFilter) {
    return std::to_array<EnumName<TextureFilter>>({{TextureFilter::nearest, "nearest"},
                                                   {TextureFilter::bilinear, "bilinear"},
                                                   {TextureFilter::mip, "mip"}});
}

/// An instance from the scene's description, with the inverse of its transform.
struct InstanceSource {
    AffineRows object_to_world, world_to_object;
    std::uint32_t mesh;  ///< index among the instanced meshes
    std::int32_t material;
    std::uint32_t is_identity;
    std::int32_t first_light;  ///< see InstanceShading
    WalkCycle walk;
};
static_assert(sizeof(InstanceSource) == 128);

/// An instanced mesh with its tree.
struct InstancedMesh {
    Bvh2View tree;
    const Primitive* primitives;
    std::uint32_t first_triangle;  ///< index of its triangle 0 among the scene's
};

/// Shading data of an instance, besides InstanceData.
struct InstanceShading {
    AffineRows object_to_world;
    std::uint32_t first_triangle;
    std::int32_t material;  ///< material of all its triangles; -1: their own
    /// Light of its first emissive triangle; -1: none is a light.
    std::int32_t first_light;
    std::uint32_t unused;
};
static_assert(sizeof(InstanceShading) == 64);

/// A light tree in device memory: nodes on the CPU, single children on a GPU.
struct LightTreeView {
    const LightNode* nodes = nullptr;
    const LightChild* children = nullptr;  ///< LightNode::kWidth per node

    [[nodiscard]] TL_HD bool exists() const { return nodes || children; }
};

/// Data for choosing one light among all.
struct LightSearch {
    LightTreeView tree;                         ///< over lights at finite positions
    const std::uint64_t* trails = nullptr;      ///< LightTree::trails of the lights in the tree
    const std::uint32_t* far_lights = nullptr;  ///< indices of lights at infinity
    std::uint32_t n_far = 0;
    /// Whether all emission that rays may hit comes from lights of the tree.
    bool has_all_in_tree = false;
    /// Lights of triangles, spheres and patches, -1 for those without; null where none has one. For
    /// triangles of instanced meshes, the index among the emissive triangles of their mesh, see
    /// any_light_of.
    const std::int32_t* triangle_lights = nullptr;
    const std::int32_t* sphere_lights = nullptr;
    const std::int32_t* patch_lights = nullptr;
    std::int32_t first_splat_light = 0;  ///< index of the lights of splats
    /// The only light of a tree of one light, chosen without reading its bounds; else kSeveral.
    static constexpr std::uint32_t kSeveral = UINT32_MAX;
    std::uint32_t only_in_tree = kSeveral;

    /// Number of far lights, plus 1 for the tree if it exists.
    [[nodiscard]] TL_HD std::uint32_t n_choices() const { return n_far + (tree.exists() ? 1 : 0); }
    /// Whether there is a single light.
    [[nodiscard]] TL_HD bool has_one_light() const {
        return n_choices() == 1 && (!tree.exists() || only_in_tree != kSeveral);
    }
};

/// Discrete distribution over the sources of emitted photons, about in proportion to power.
struct PhotonSources {
    /// One entry per light of SceneView::lights, those of surfaces included; then one for the
    /// background.
    const AliasEntry* table = nullptr;
    std::uint32_t n = 0;  ///< 0: no source emits
};

struct SceneView {
    TreeView tree;

    const vec3* positions = nullptr;
    const vec3* normals = nullptr;  ///< zero normal: use the triangle's geometric one
    const vec2* uvs = nullptr;
    const vec3* colors = nullptr;  ///< vertex colours; null: all are white
    const glm::uvec3* triangles = nullptr;
    const std::int32_t* triangle_materials = nullptr;
    /// Primitives below this index are triangles; then come spheres, splats, patch pieces and
    /// instances. In the triangle array, those of instanced meshes follow the scene's own.
    std::uint32_t n_triangles = 0;
    std::uint32_t n_spheres = 0;

    /// Number of patch pieces (tree.patches), which come between splats and instances; with their
    /// current boxes.
    std::uint32_t n_pieces = 0;
    const Box* piece_boxes = nullptr;
    const std::int32_t* patch_materials = nullptr;
    const vec2* patch_uvs = nullptr;  ///< four a patch, see PatchSet::corner_uvs

    const SphereData* spheres = nullptr;
    const vec3* sphere_colors = nullptr;  ///< null: all are white
    /// Emission of spheres, the material's included; 0 where it is the material's alone. Null where
    /// no sphere has one of its own.
    const vec3* sphere_emission = nullptr;
    /// In host memory, for the passes that trace rays through them; null where there are none.
    const GaussiansView* gaussians = nullptr;
    SplatsView splats;
    const InstanceShading* instances = nullptr;
    const MaterialData* materials = nullptr;
    const LayersData* layers = nullptr;
    const std::uint32_t* media = nullptr;  ///< material of each dielectric, by its medium number
    bool has_glass = false;                ///< whether some surfaces are dielectrics
    bool media_matter = false;  ///< some absorb, or there are several: see media_matter()
    /// Media (Media::bits) around the camera, in device memory; null where there are none.
    const std::uint32_t* camera_media = nullptr;
    /// Media around each source of photon_sources, in the same form; null where no source is known
    /// to be within one.
    const std::uint32_t* source_media = nullptr;
    /// Whether shadow rays pass through glass; false for renderers that compute caustics.
    bool glass_passes_light = false;
    const LightData* lights = nullptr;
    const std::int32_t* material_lights = nullptr;  ///< light of each material, see light_of
    std::uint32_t n_lights = 0;
    bool has_textured_lights = false;  ///< whether some emit by a texture, or have holes
    LightSearch search;                ///< covers these and emissive surfaces, which follow them
    PhotonSources photon_sources;
    bool has_visible_light = false;  ///< whether rays may hit emissive surfaces, or a background
    const TextureData* textures = nullptr;  ///< null where there are none
    const MipLevel* mip_levels = nullptr;
    const Texel* texels = nullptr;
    TextureFilter texture_filter = TextureFilter::mip;
    const GgxTables* ggx = nullptr;  ///< null where no surface is rough
    bool has_cutouts = false;        ///< whether some surfaces have holes, by a texture's alpha
    const EnvironmentData* environment = nullptr;
    vec3 background{0};  ///< radiance of rays that leave the scene, without a map

    /// Whether there is emission besides that of materials: of splats or spheres.
    [[nodiscard]] TL_HD bool has_point_emission() const { return splats.cells || sphere_emission; }
    /// Whether there are colours or emission besides those of materials; splats always have some.
    [[nodiscard]] TL_HD bool has_colors() const {
        return colors || sphere_colors || sphere_emission || splats.splats;
    }
    /// Removes the emission of splats and spheres, for kernels of scenes that have none. The
    /// compiler then knows that it is absent, so that it costs no registers.
    TL_HD void leave_out_point_emission() {
        splats.cells = nullptr;
        sphere_emission = nullptr;
    }
    /// Removes vertex, sphere and splat colours and emission in the same way.
    TL_HD void leave_out_colors() {
        colors = sphere_colors = sphere_emission = nullptr;
        splats = {};
    }
    /// The number of primitives before the pieces of patches.
    [[nodiscard]] TL_HD std::uint32_t n_simple() const {
        return n_triangles + n_spheres + splats.n;
    }
    [[nodiscard]] TL_HD const MaterialData& medium(std::uint32_t number) const {
        return materials[media[number]];
    }
};

}  // namespace tl
