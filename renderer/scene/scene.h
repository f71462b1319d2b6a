// A scene as described by files and generators: in host memory, without a tree. `LiveScene` copies
// it to a device.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "accel/box.h"
#include "renderer/scene/environment_map.h"
#include "renderer/scene/gaussians.h"
#include "renderer/scene/rigid_motion.h"
#include "renderer/scene/warnings.h"

namespace tl {

inline constexpr float kNarrowestFov = 1, kWidestFov = 179;  ///< vertical field of view, degrees

/// Right-handed camera with a thin lens, or a pinhole. `vertical_fov` in degrees; `up` need not be
/// perpendicular to the view.
struct Camera {
    vec3 eye{0, 0, 5};
    vec3 target{0, 0, 0};
    vec3 up{0, 1, 0};
    float vertical_fov = 45;
    float lens_radius = 0;     ///< 0: a pinhole, everything is in focus
    float focus_distance = 0;  ///< to the plane of focus, along the view; 0: the target's distance

    bool operator==(const Camera&) const = default;
};

enum class MaterialKind : std::int32_t { diffuse, phong, mirror, dielectric };

/// A surface of glTF's metallic-roughness model (docs/algorithms/light.md); numbers are in [0, 1].
struct SurfaceLayers {
    vec3 base{0.8f};          ///< colour of the diffuse base, the thin sheet and the metal
    float metallic = 0;       ///< fraction of metal
    float roughness = 1;      ///< square root of GGX's alpha
    vec3 reflectance{0.04f};  ///< reflectance of the dielectric base at normal incidence
    float transmission = 0;   ///< fraction of clear thin sheet in the dielectric base
    float coat = 0;           ///< fraction of the surface under a clear coat
    float coat_roughness = 0;
    int texture = -1;  ///< index into Scene::textures; green scales roughness, blue metallic
};

/// A material; reflectances are linear RGB in [0, 1].
struct Material {
    std::string name = "default";
    MaterialKind kind = MaterialKind::diffuse;
    vec3 diffuse{0.8f};    ///< diffuse and phong: albedo rho (BRDF rho/pi)
    vec3 specular{0.0f};   ///< phong: glossy lobe; mirror, dielectric: tint of the reflected ray
    float exponent = 32;   ///< phong exponent
    float roughness = 0;   ///< mirror, dielectric: square root of GGX's alpha, in [0, 1]; 0: smooth
    float ior = 1.5f;      ///< dielectric: index of refraction
    vec3 transmission{1};  ///< dielectric: tint of the refracted ray
    vec3 absorption{0};    ///< dielectric: absorption coefficient inside, 1/m
    int priority = 0;      ///< dielectric: where several overlap, the one with the highest applies
    vec3 emission{0};      ///< radiance, W/(sr m^2), one-sided: leaves on the side of the normal
    /// Surface layers; renderers that sample surfaces use them instead of the kind of material.
    std::optional<SurfaceLayers> layers;
    int diffuse_texture = -1;   ///< index into Scene::textures, multiplies `diffuse` and the base
    int emission_texture = -1;  ///< index; multiplies `emission`
    int alpha_texture = -1;     ///< index; there is a hole where its alpha is below the cutoff
    float alpha_cutoff = 0.5f;  ///< in [0, 1]
    int normal_texture = -1;    ///< index; normals in the tangent space of texture coordinates,
                                ///< [-1, 1] as [0, 1], y along v
    float normal_scale = 1;     ///< scales their x and y
};

/// Continuation of a texture beyond its edges.
enum class TextureWrap : std::int32_t { repeat, clamp, mirror };

/// RGBA image, row 0 at the top; texture coordinate (0, 0) is the lower left corner.
struct Texture {
    std::string name;
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgba;  ///< 8-bit values, or the upper bytes of 16-bit ones
    bool is_srgb = true;             ///< colours are sRGB, else linear; alpha is always linear
    TextureWrap wrap_u = TextureWrap::repeat, wrap_v = TextureWrap::repeat;
    std::vector<std::uint8_t> lower = {};  ///< lower bytes of 16-bit values; or empty
};

enum class AnimationKind : std::int32_t { none, explode, wave, rigid, frames, simulated };

/// Motion of a mesh; it returns to its start after Scene::duration. Lengths are in scene units.
struct Animation {
    AnimationKind kind = AnimationKind::none;
    vec3 center{0};        ///< explode: triangles fly away from here and come back
    float distance = 1;    ///< explode: distance that the farthest fly
    float turns = 1;       ///< explode: full turns of each about its own centre while it flies out
    float start = 0;       ///< explode: fraction of the duration before they fly, below 1
    vec3 lift{0, 1, 0};    ///< wave: direction in which crests rise, unit length
    float height = 0.1f;   ///< wave: greatest displacement of a vertex
    float wavelength = 1;  ///< wave: length of the longest of several waves
    RigidMotion rigid;     ///< rigid: the mesh moves as a whole
    bool returns = false;  ///< frames: play to the last and back, not from the last to the first
    float period = 0;      ///< rigid, frames: seconds per round, rounded so that Scene::duration
                           ///< holds a whole number of rounds; 0: one round
};

/// One frame of a mesh of AnimationKind::frames. It has normals if the mesh has them.
struct MeshFrame {
    std::vector<vec3> positions, normals;
};

class SimulatedSurface;  // in simulated_surface.h

/// Indexed triangles. `normals`, `uvs` and `colors` are empty or as long as `positions`.
struct Mesh {
    std::string name;
    std::vector<vec3> positions;
    std::vector<vec3> normals;
    std::vector<vec2> uvs;
    /// Linear RGB in [0, 1], interpolated over triangles: multiplies the material's `diffuse` and
    /// the base of its layers.
    std::vector<vec3> colors;
    std::vector<glm::uvec3> triangles;
    std::vector<std::int32_t> material_of_triangle;  ///< as long as `triangles`
    Animation animation;                             ///< starts from these positions
    std::vector<MeshFrame> frames;  ///< AnimationKind::frames: evenly spaced, the first at rest
    /// AnimationKind::simulated: simulation of the vertices; null: they stay at rest.
    std::shared_ptr<const SimulatedSurface> simulation;
    bool instanced = false;  ///< visible only through instances, which share its one copy
};

/// Bicubic Bezier patches of sixteen points: point 4 i + j has the basis function B_i(u) B_j(v).
/// The cross product of the derivatives by u and by v points to the outside.
struct PatchSet {
    std::string name;
    std::vector<vec3> points;
    std::vector<float> weights;  ///< weights of rational patches, > 0: one per point, or none
    /// Texture coordinates at (u, v) = (0, 0), (0, 1), (1, 0) and (1, 1) of each patch, bilinear
    /// between; or none: u and v themselves.
    std::vector<vec2> corner_uvs;
    std::vector<std::int32_t> material_of_patch;
    Animation animation;            ///< starts from these points; not an explosion
    std::vector<MeshFrame> frames;  ///< AnimationKind::frames: positions of the points, no normals

    [[nodiscard]] std::size_t size() const { return material_of_patch.size(); }
};

/// Walk of an instance around a circle about a vertical axis. It starts at its position, along its
/// z axis, and takes a whole number of rounds in Scene::duration.
struct Walk {
    float radius = 0;     ///< m; the circle lies to the left, or right if negative; 0: no walk
    float speed = 1;      ///< m/s, rounded so that the number of rounds is whole
    float stride = 0.5f;  ///< length of a step, m
    float bob = 0;        ///< rise with every step, m
};

/// A copy of an instanced mesh.
struct Instance {
    std::uint32_t mesh = 0;      ///< index into Scene::meshes
    mat4 transform{1};           ///< mesh space to world space; affine, not singular
    std::int32_t material = -1;  ///< material of all its triangles; -1: their own
    Walk walk{};
};

struct Sphere {
    vec3 center{0};
    float radius = 1;
    std::int32_t material = 0;
    vec3 color{1};     ///< linear RGB in [0, 1], as Mesh::colors
    vec3 emission{0};  ///< added to the material's; where it is not 0, textures do not multiply it
};

/// A disc that represents a piece of a surface around a measured point. Where several overlap, the
/// surface is their blend (docs/algorithms/splats.md). It has no texture coordinates.
struct Splat {
    vec3 center{0};
    float radius = 1;
    vec3 normal{0, 0, 1};  ///< unit, to the outside
    std::int32_t material = 0;
    vec3 color{1};     ///< linear RGB in [0, 1], as Mesh::colors
    vec3 emission{0};  ///< added to the material's
};

/// Kind of a light. Scene::lights has none of the last four: LiveScene makes them from
/// Scene::environment and from emissive triangles, patches and splats.
enum class LightKind : std::int32_t {
    point,
    directional,
    rectangle,
    spot,
    sphere,
    environment,
    triangle,
    patch,
    splat,
};

/// Whether lights of this kind have a surface, which is visible to rays and casts soft shadows.
[[nodiscard]] TL_HD inline bool has_surface(LightKind kind) {
    return kind == LightKind::rectangle || kind == LightKind::sphere;
}

/// A light source. The visible surface of a rectangle or sphere light is not among the scene's
/// meshes or spheres: LiveScene adds it.
struct Light {
    LightKind kind = LightKind::point;
    vec3 position{0};                       ///< point, spot; rectangle: one corner; sphere: centre
    vec3 direction{0, -1, 0};               ///< directional: direction of propagation; spot: the
                                            ///< cone's axis; unit length
    vec3 edge_u{1, 0, 0}, edge_v{0, 0, 1};  ///< rectangle: edges; emits along cross(edge_u, edge_v)
    float inner_angle = 36;  ///< spot: degrees off the axis up to which the intensity is full
    float outer_angle = 45;  ///< spot: degrees off the axis from which there is no light
    float radius = 1;        ///< sphere: radius; emits outwards
    vec3 radiance{1};  ///< point, spot: radiant intensity W/sr; directional: irradiance W/m^2 on a
                       ///< surface that faces it; rectangle, sphere: radiance W/(sr m^2)
};

struct Scene {
    std::string name;
    std::string path;  ///< file that it was loaded from; "" for a generated scene
    /// Offset of the file's coordinates from the scene's: 0 unless they are so far from the origin
    /// that floats would lose detail (loaders/recentre.h).
    glm::dvec3 offset{0};
    Camera camera;
    std::vector<Material> materials;
    std::vector<Texture> textures;
    std::vector<Mesh> meshes;
    std::vector<PatchSet> patches;
    std::vector<Instance> instances;
    std::vector<Sphere> spheres;
    std::vector<Splat> splats;
    std::vector<GaussianSet> gaussians;
    std::vector<Light> lights;
    /// Whether the lights are defaults, since the file has none. Renderers that sample emissive
    /// surfaces use those instead, if there are any.
    bool default_lights = false;
    vec3 background{0};          ///< radiance of rays that leave the scene, without a map
    EnvironmentMap environment;  ///< radiance of rays that leave the scene, and a light source
    float duration = 0;          ///< seconds after which all motion repeats; 0: nothing moves
    /// Settings in the file, by section: settings["whitted"]["max-depth"] == "5".
    /// Section "render" may name "renderer" and "builder".
    std::map<std::string, std::map<std::string, std::string>> settings;
    /// Line of the file at which each section's settings start.
    std::map<std::string, int> settings_line;
    /// Warnings of the loader (a missing texture, an unknown key), one clear line each.
    Warnings warnings;

    /// Triangles of all meshes, each counted once.
    [[nodiscard]] std::size_t triangle_count() const;
    [[nodiscard]] std::size_t patch_count() const;
    [[nodiscard]] std::size_t gaussian_count() const;
    /// Visible triangles: those of instanced meshes once for each instance.
    [[nodiscard]] std::size_t visible_triangle_count() const;
    /// Whether there is no triangle, patch, sphere or splat.
    [[nodiscard]] bool has_no_geometry() const;
};

/// Parts that a file does not specify and load_scene adds.
struct SceneGaps {
    bool camera = true;  ///< the camera must be placed
    bool lights = true;  ///< if the scene has no lights, default ones must be added
};

/// Reason why a camera is invalid: not finite, no viewing direction, no up vector; "" if it is
/// valid.
[[nodiscard]] std::string camera_fault(const Camera& camera);

/// One of a box's eight corners: bit k of `corner` chooses the upper end of axis k.
[[nodiscard]] inline vec3 corner_of_box(const Box& box, int corner) {
    return {corner & 1 ? box.hi.x : box.lo.x, corner & 2 ? box.hi.y : box.lo.y,
            corner & 4 ? box.hi.z : box.lo.z};
}
/// The sizes of a scene's lists at some point.
struct SceneMark {
    std::size_t meshes = 0, patches = 0, instances = 0, spheres = 0, splats = 0, lights = 0;
    std::size_t materials = 0, gaussians = 0;
    SceneMark() = default;
    explicit SceneMark(const Scene& scene);
};
/// Bounds of all geometry added since `mark`, the surfaces of lights included; empty without any.
[[nodiscard]] Box bounds_of(const Scene& scene, const SceneMark& mark = {});
/// Moves the camera so that the whole scene is in view, keeping its direction and field of view.
void frame_all(Camera& camera, const Box& bounds, float aspect);

}  // namespace tl
