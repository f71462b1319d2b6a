// A scene as files and generators describe it: host memory, no device, no tree. `LiveScene` puts it
// on a device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "accel/box.h"
#include "renderer/scene/environment_map.h"
#include "renderer/scene/rigid_motion.h"

namespace tl {

inline constexpr float kNarrowestFov = 1, kWidestFov = 179;  ///< vertical field of view, degrees

/// Right-handed camera with a thin lens, or a pinhole. `vertical_fov` in degrees; `up` need not be
/// perpendicular to the view.
struct Camera {
    vec3 eye{0, 0, 5};
    vec3 target{0, 0, 0};
    vec3 up{0, 1, 0};
    float vertical_fov = 45;
    float lens_radius = 0;     ///< 0: a pinhole, all is sharp
    float focus_distance = 0;  ///< along the view, of the plane that is sharp; 0: the target's
};

enum class MaterialKind : std::int32_t { diffuse, phong, mirror, dielectric };

/// Reflectances are linear RGB in [0, 1].
struct Material {
    std::string name = "default";
    MaterialKind kind = MaterialKind::diffuse;
    vec3 diffuse{0.8f};    ///< diffuse and phong: albedo rho (BRDF rho/pi)
    vec3 specular{0.0f};   ///< phong: glossy lobe; mirror, dielectric: tint of the reflected ray
    float exponent = 32;   ///< phong exponent
    float ior = 1.5f;      ///< dielectric: index of refraction
    vec3 transmission{1};  ///< dielectric: tint of the refracted ray
    vec3 absorption{0};    ///< dielectric: of light on its way within, 1/m
    int priority = 0;  ///< dielectric: of several in one place, the one with the highest is there
    vec3 emission{0};  ///< radiance, W/(sr m^2), one-sided: leaves on the side of the normal
    int diffuse_texture = -1;   ///< index into Scene::textures, multiplies `diffuse`
    int alpha_texture = -1;     ///< index; where its alpha is below the cutoff is no surface
    float alpha_cutoff = 0.5f;  ///< in [0, 1]
    int normal_texture = -1;    ///< index; normals in the tangent space of texture coordinates,
                                ///< [-1, 1] as [0, 1], y along v
    float normal_scale = 1;     ///< of their x and y
};

/// What lies beyond the edges of a texture.
enum class TextureWrap : std::int32_t { repeat, clamp, mirror };

/// 8-bit image, RGBA, row 0 at the top; texture coordinate (0, 0) is the lower left corner.
struct Texture {
    std::string name;
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgba;
    bool is_srgb = true;  ///< its colours, which else are linear; alpha always is
    TextureWrap wrap_u = TextureWrap::repeat, wrap_v = TextureWrap::repeat;
};

enum class AnimationKind : std::int32_t { none, explode, wave, rigid, frames };

/// How a mesh moves; it is back where it started after Scene::duration. Lengths are the scene's.
struct Animation {
    AnimationKind kind = AnimationKind::none;
    vec3 center{0};        ///< explode: triangles fly away from here and come back
    float distance = 1;    ///< explode: how far the farthest fly
    float turns = 1;       ///< explode: how often each turns about itself on its way out
    float start = 0;       ///< explode: the part of the duration before they fly, below 1
    vec3 lift{0, 1, 0};    ///< wave: unit length, where crests rise to
    float height = 0.1f;   ///< wave: no vertex moves farther than this
    float wavelength = 1;  ///< wave: crest to crest, of the longest of several waves
    RigidMotion rigid;     ///< rigid: the mesh moves as a whole
    bool returns = false;  ///< frames: to the last and back, instead of from the last to the first
    float period = 0;      ///< rigid, frames: seconds that one round takes, to the nearest that
                           ///< makes the rounds in Scene::duration whole; 0: one round in it
};

/// A moment of a mesh of AnimationKind::frames. Normals are there where the mesh has them.
struct MeshFrame {
    std::vector<vec3> positions, normals;
};

/// Indexed triangles. `normals` and `uvs` are empty or as long as `positions`.
struct Mesh {
    std::string name;
    std::vector<vec3> positions;
    std::vector<vec3> normals;
    std::vector<vec2> uvs;
    std::vector<glm::uvec3> triangles;
    std::vector<std::int32_t> material_of_triangle;  ///< as long as `triangles`
    Animation animation;                             ///< from the positions as they stand here
    std::vector<MeshFrame> frames;  ///< AnimationKind::frames: evenly in time, the first at rest
    bool instanced = false;  ///< seen only where instances put it, and stored once for all of them
};

/// Bicubic Bezier patches. Sixteen points a patch: number 4 i + j weighs B_i(u) B_j(v). The outside
/// is where the derivative by u, crossed with that by v, points to.
struct PatchSet {
    std::string name;
    std::vector<vec3> points;
    std::vector<float> weights;  ///< of rational patches, above 0: as many as points, or none
    /// Texture coordinates at (u, v) = (0, 0), (0, 1), (1, 0) and (1, 1) of each patch, bilinear
    /// between; or none: u and v themselves.
    std::vector<vec2> corner_uvs;
    std::vector<std::int32_t> material_of_patch;
    Animation animation;            ///< from the points as they stand here; no explosion
    std::vector<MeshFrame> frames;  ///< AnimationKind::frames: of the points, without normals

    [[nodiscard]] std::size_t size() const { return material_of_patch.size(); }
};

/// How an instance walks: around an upright circle that starts where it stands and the way that
/// its z axis points, a whole number of times in Scene::duration.
struct Walk {
    float radius = 0;     ///< m; the circle lies to the left, or right if negative; 0: stands still
    float speed = 1;      ///< m/s, to the nearest that makes the rounds whole
    float stride = 0.5f;  ///< m between steps
    float bob = 0;        ///< m that it rises with every step
};

/// A copy of an instanced mesh.
struct Instance {
    std::uint32_t mesh = 0;      ///< index into Scene::meshes
    mat4 transform{1};           ///< from the mesh's space to the world's; affine, not singular
    std::int32_t material = -1;  ///< of all its triangles instead of theirs; -1: their own
    Walk walk{};
};

struct Sphere {
    vec3 center{0};
    float radius = 1;
    std::int32_t material = 0;
};

/// Scene::lights has none of kind `environment`: the renderer makes it of Scene::environment.
enum class LightKind : std::int32_t { point, directional, rectangle, spot, sphere, environment };

/// Whether lights of the kind have a surface, which rays see and which casts soft shadows.
[[nodiscard]] TL_HD inline bool has_surface(LightKind kind) {
    return kind == LightKind::rectangle || kind == LightKind::sphere;
}

/// A light source. The visible surface of a rectangle or sphere is no mesh or sphere of the scene:
/// the renderer adds it.
struct Light {
    LightKind kind = LightKind::point;
    vec3 position{0};                       ///< point, spot; rectangle: one corner; sphere: centre
    vec3 direction{0, -1, 0};               ///< directional: the way the light goes; spot: the
                                            ///< cone's axis; unit length
    vec3 edge_u{1, 0, 0}, edge_v{0, 0, 1};  ///< rectangle: edges; emits along cross(edge_u, edge_v)
    float inner_angle = 36;  ///< spot: degrees off the axis up to which the intensity is full
    float outer_angle = 45;  ///< spot: degrees off the axis from which there is no light
    float radius = 1;        ///< sphere; emits to its outside
    vec3 radiance{1};  ///< point, spot: radiant intensity W/sr; directional: irradiance W/m^2 on a
                       ///< surface that faces it; rectangle, sphere: radiance W/(sr m^2)
};

struct Scene {
    std::string name;
    std::string path;  ///< the file it came from, "" for a generated one
    Camera camera;
    std::vector<Material> materials;
    std::vector<Texture> textures;
    std::vector<Mesh> meshes;
    std::vector<PatchSet> patches;
    std::vector<Instance> instances;
    std::vector<Sphere> spheres;
    std::vector<Light> lights;
    vec3 background{0};          ///< radiance of rays that leave the scene, where there is no map
    EnvironmentMap environment;  ///< seen by rays that leave the scene, and a light
    float duration = 0;          ///< seconds after which all motion repeats; 0: nothing moves
    /// Settings that the file asks for, by section: settings["whitted"]["max-depth"] == "5".
    /// Section "render" may name "renderer" and "builder".
    std::map<std::string, std::map<std::string, std::string>> settings;
    /// Line of the file that each section's settings start at.
    std::map<std::string, int> settings_line;
    /// What the loader could not use (a missing texture, an unknown key), one clear line each.
    std::vector<std::string> warnings;

    /// Triangles of all meshes, each counted once.
    [[nodiscard]] std::size_t triangle_count() const;
    [[nodiscard]] std::size_t patch_count() const;
    /// Triangles that rays see: those of instanced meshes once for each instance.
    [[nodiscard]] std::size_t visible_triangle_count() const;
};

/// What a file leaves to load_scene.
struct SceneGaps {
    bool camera = true;  ///< the camera is to be framed
    bool lights = true;  ///< a scene without lights is to be lit
};

/// True where two cameras give the same picture.
[[nodiscard]] bool same_view(const Camera& a, const Camera& b);
/// Why a camera cannot be used: not finite, looking nowhere, without an up; "" for a sound one.
[[nodiscard]] std::string camera_fault(const Camera& camera);

/// Bounds of all geometry, the surfaces of lights included; empty for an empty scene.
[[nodiscard]] Box bounds_of(const Scene& scene);
/// Points the camera at all of the scene, keeping its direction and field of view.
void frame_all(Camera& camera, const Box& bounds, float aspect);

}  // namespace tl
