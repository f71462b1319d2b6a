// Tools shared by the generators: parsing of parameters, and construction of meshes.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "renderer/scene/generators/generators.h"

namespace tl {

/// Reads the parameters of one generator. Values that are not numbers or out of range throw
/// UserError naming generator and key.
class GeneratorArguments {
  public:
    GeneratorArguments(std::string id, const GeneratorParameters& parameters)
        : id_(std::move(id)), parameters_(parameters) {}

    template <class T = std::int64_t>
    [[nodiscard]] T integer(const char* key, std::int64_t fallback, std::int64_t minimum,
                            std::int64_t maximum) const {
        return static_cast<T>(value(key, static_cast<double>(fallback),
                                    static_cast<double>(minimum), static_cast<double>(maximum),
                                    true));
    }
    [[nodiscard]] float number(const char* key, float fallback, float minimum,
                               float maximum) const {
        return static_cast<float>(value(key, fallback, minimum, maximum, false));
    }
    [[nodiscard]] bool flag(const char* key, bool fallback) const;
    /// Index of the value in `choices`; the first is the default.
    [[nodiscard]] std::size_t choice(const char* key,
                                     std::initializer_list<const char*> choices) const;

  private:
    [[nodiscard]] const std::string* find(const char* key) const;
    [[nodiscard]] double value(const char* key, double fallback, double minimum, double maximum,
                               bool whole) const;
    [[noreturn]] void refuse(const char* key, const std::string& text,
                             const std::string& wanted) const;

    std::string id_;
    const GeneratorParameters& parameters_;
};

/// Appends a material; returns its index.
std::int32_t add_material(Scene& scene, const std::string& name, MaterialKind kind, vec3 color);

/// Appends a Phong material with a grey highlight.
std::int32_t add_glossy(Scene& scene, const std::string& name, vec3 diffuse, float specular,
                        float exponent);

void add_directional_light(Scene& scene, vec3 direction, vec3 irradiance);
void add_point_light(Scene& scene, vec3 position, vec3 intensity);

/// An empty mesh with a name.
[[nodiscard]] Mesh named_mesh(const std::string& name);

/// Throws UserError if `bytes` exceed the machine's free memory; called before allocating.
void require_memory(std::uint64_t bytes, const std::string& what);

/// Reserves vertices (with or without normals) and triangles of a mesh; throws as require_memory.
void reserve(Mesh& mesh, std::uint64_t n_vertices, std::uint64_t n_triangles, bool normals);

void add_triangle(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                  std::int32_t material);
/// Adds two triangles between the vertices a, b, c and d, counterclockwise seen from outside.
void add_quad(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d,
              std::int32_t material);
/// Adds a quad with vertices of its own.
void add_quad(Mesh& mesh, vec3 a, vec3 b, vec3 c, vec3 d, std::int32_t material);
/// Adds two triangles for each cell of a grid whose vertices the mesh already has, row after row;
/// they face up if x increases along rows and z along columns.
void add_grid(Mesh& mesh, std::uint32_t n_columns, std::uint32_t n_rows,
              const std::function<std::int32_t(std::uint32_t row, std::uint32_t column)>& material);
/// Computes the normals of an add_grid() grid by central differences.
void set_grid_normals(const std::vector<vec3>& positions, std::uint32_t n_columns,
                      std::vector<vec3>& normals);
/// Appends a level square about the vertical axis as a mesh of its own.
void add_ground(Scene& scene, const std::string& name, float half_size, float y,
                std::int32_t material);
/// Adds a level floor of tiles of one metre about the origin, in two alternating materials.
void add_tiles(Mesh& mesh, int n_x, int n_z, std::int32_t even, std::int32_t odd);
/// Adds a closed box of 12 triangles and 8 vertices.
void add_box(Mesh& mesh, vec3 lo, vec3 hi, std::int32_t material);
/// Adds a closed solid through rings of equally many points, counterclockwise seen from the last
/// ring; the first and the last ring are closed by a point in their middle.
void add_loft(Mesh& mesh, std::span<const std::vector<vec3>> rings, std::int32_t material);
/// Adds a closed, untwisted tube through `centers`, with the radius in w.
void add_tube(Mesh& mesh, std::span<const vec4> centers, int n_segments, std::int32_t material);
/// Adds a closed solid of revolution about the vertical axis through `foot`: `radius(angle, row)`
/// at the rows' heights, and a point at each end. Makes 2 * n_segments * n_rows triangles.
void add_lathe(Mesh& mesh, vec3 foot, int n_segments, int n_rows,
               const std::function<float(int row)>& height,
               const std::function<float(float angle, int row)>& radius, std::int32_t material);
/// Adds a closed ellipsoid of 2 * n_segments * n_rows triangles with half axes `size`.
void add_ball(Mesh& mesh, vec3 center, vec3 size, int n_segments, int n_rows,
              std::int32_t material);

/// Gives a mesh the normals of add_normals, and appends it to the scene.
void take_smooth(Scene& scene, Mesh mesh);

/// Appends a key to a track.
template <class T>
void add_key(Track<T>& track, float time, const T& value) {
    track.times.push_back(time);
    track.values.push_back(value);
}

/// Sets the motion of a mesh that was built in the space of the innermost joint, and transforms it
/// to its position at time 0. One round takes `period` seconds.
void set_in_motion(Mesh& mesh, RigidMotion motion, float period);

}  // namespace tl
