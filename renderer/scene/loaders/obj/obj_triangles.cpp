#include "renderer/scene/loaders/obj/obj_triangles.h"

#include <span>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "renderer/scene/loaders/polygon.h"

namespace tl {
namespace {

class ObjTriangulator {
  public:
    ObjTriangulator(const std::vector<vec3>& positions, const std::string& path)
        : positions_(positions), path_(path) {}

    void triangulate(ObjShape& shape) {
        auto polygons = std::move(shape);
        ObjShape triangles{std::move(polygons.name), {}, {}};
        triangles.corners.reserve(polygons.corners.size());
        triangles.faces.reserve(polygons.faces.size());
        const ObjCorner* corners = polygons.corners.data();
        for (auto& face : polygons.faces) {
            auto cut = triangles_of({corners, face.n_corners});
            if (cut.empty()) throw UserError(path_ + ": " + cutter_.refusal(face.n_corners));
            for (auto& triangle : cut) {
                for (int k = 0; k < 3; ++k) triangles.corners.push_back(corners[triangle[k]]);
                triangles.faces.push_back({3, face.material, face.smoothing_group});
            }
            corners += face.n_corners;
        }
        shape = std::move(triangles);
    }

  private:
    std::span<const glm::uvec3> triangles_of(std::span<const ObjCorner> polygon) {
        static constexpr glm::uvec3 kTriangle[] = {{0, 1, 2}};
        if (polygon.size() == 3) return kTriangle;
        corners_.clear();
        for (auto& corner : polygon)
            corners_.push_back(positions_[static_cast<std::size_t>(corner.position)]);
        return cutter_.cut(corners_);
    }

    const std::vector<vec3>& positions_;
    const std::string& path_;
    PolygonCutter cutter_{QuadCut::shorter};
    std::vector<vec3> corners_;  // of a polygon
};

}  // namespace

void triangulate(ObjFile& file, const std::string& path) {
    ObjTriangulator triangulator(file.positions, path);
    for (auto& shape : file.shapes) triangulator.triangulate(shape);
}

}  // namespace tl
