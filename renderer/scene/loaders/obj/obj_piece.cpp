#include "renderer/scene/loaders/obj/obj_piece.h"

#include <tiny_obj_loader.h>

#include <cmath>
#include <istream>
#include <span>
#include <utility>

#include "core/base/files.h"
#include "renderer/scene/limits.h"
#include "renderer/scene/loaders/obj/obj_statements.h"
#include "renderer/scene/loaders/words.h"

namespace tl {
namespace {

constexpr int kMostCorners = 4096;  // of one face: triangulating is quadratic

/// Puts what the library reads into a piece.
class ObjPieceReader {
  public:
    ObjPieceReader(ObjPiece& piece, ObjFileLists& lists, const std::string& file,
                   const OnBytesParsed& on_parsed)
        : piece_(piece), lists_(lists), statements_(piece, file, on_parsed) {}

    void read() {
        std::istream stream(&statements_);
        stream.exceptions(std::ios::badbit);  // passes errors of the statements on
        tinyobj::LoadObjWithCallback(stream, callbacks(), this);
    }

  private:
    using Real = tinyobj::real_t;

    static tinyobj::callback_t callbacks() {
        static constexpr auto kSelf = [](void* reader) -> ObjPieceReader& {
            return *static_cast<ObjPieceReader*>(reader);
        };
        tinyobj::callback_t callbacks;
        callbacks.vertex_cb = [](void* reader, Real x, Real y, Real z, Real) {
            kSelf(reader).add_vertex({x, y, z});
        };
        callbacks.texcoord_cb = [](void* reader, Real u, Real v, Real) {
            kSelf(reader).add_uv(vec2(u, v));
        };
        callbacks.normal_cb = [](void* reader, Real x, Real y, Real z) {
            kSelf(reader).add_normal(vec3(x, y, z));
        };
        callbacks.index_cb = [](void* reader, tinyobj::index_t* corners, int n_corners) {
            kSelf(reader).add_corners({corners, static_cast<std::size_t>(n_corners)});
        };
        callbacks.usemtl_cb = [](void* reader, const char* name, int) {
            kSelf(reader).statements_.use_material(name);
        };
        callbacks.object_cb = [](void* reader, const char* name) {
            kSelf(reader).piece_.next_name = name;
        };
        callbacks.group_cb = [](void* reader, const char** names, int n_names) {
            kSelf(reader).start_group({names, static_cast<std::size_t>(n_names)});
        };
        return callbacks;
    }

    void add_vertex(glm::dvec3 numbers) {
        int position = static_cast<int>(piece_.lists.positions.count) - 1;
        if (statements_.kind() == ObjStatement::color) {
            piece_.colors.push_back({position, vec3(numbers)});
            return;
        }
        bool is_finite = true;
        for (int axis = 0; axis < 3; ++axis) {
            bool is_number = std::isfinite(numbers[axis]);
            is_finite = is_finite && is_number;
            if (is_number && std::abs(numbers[axis]) > kLargestCoordinate)
                statements_.fail("vertex " + std::to_string(position + 1) + ": '" +
                                 shown(statements_.word(axis + 1)) +
                                 "' is beyond the largest coordinate, 1e15");
        }
        if (!is_finite) piece_.lost_positions.push_back({position, statements_.line()});
        lists_.positions[static_cast<std::size_t>(position)] = numbers;
    }

    void add_uv(vec2 uv) {
        if (!std::isfinite(uv.x) || !std::isfinite(uv.y)) note(ObjNote::uv);
        lists_.uvs[static_cast<std::size_t>(piece_.lists.uvs.count - 1)] = finite_or_zero(uv);
    }

    void add_normal(vec3 normal) {
        bool is_usable = std::isfinite(glm::length(normal));
        if (!is_usable) note(ObjNote::normal);
        lists_.normals[static_cast<std::size_t>(piece_.lists.normals.count - 1)] =
            is_usable ? normal : vec3(0);
    }

    void add_corners(std::span<const tinyobj::index_t> corners) {
        if (statements_.kind() == ObjStatement::face) return add_face(corners);
        int from = -1;
        for (std::size_t k = 0; k < corners.size(); ++k) {
            int to = corner(corners, k).position;
            if (statements_.kind() == ObjStatement::points)
                piece_.strokes.push_back({to, to, piece_.material});
            else if (from >= 0 && from != to)
                piece_.strokes.push_back({from, to, piece_.material});
            from = to;
        }
    }

    void add_face(std::span<const tinyobj::index_t> corners) {
        std::size_t first = piece_.corners.size();
        for (std::size_t k = 0; k < corners.size(); ++k)
            piece_.corners.push_back(corner(corners, k));
        if (corners.size() < 3) {
            piece_.corners.resize(first);
            return note(ObjNote::small_face);
        }
        if (corners.size() > kMostCorners)
            statements_.fail("a face has " + std::to_string(corners.size()) + " corners; at most " +
                             std::to_string(kMostCorners) + " are read: triangulate it");
        if (piece_.next_name)
            piece_.starts.push_back({*std::exchange(piece_.next_name, {}), piece_.faces.size(),
                                     first, statements_.line()});
        if (piece_.faces.empty()) piece_.line_of_first_face = statements_.line();
        piece_.faces.push_back(
            {static_cast<std::uint32_t>(corners.size()), piece_.material, piece_.smoothing_group});
    }

    /// The corner at place `k` of a statement. The library gives 0 for an index that is left out.
    ObjCorner corner(std::span<const tinyobj::index_t> corners, std::size_t k) {
        auto& lists = piece_.lists;
        auto place = [&](ObjElements& list, int given) {
            return given == 0 ? -1 : statements_.index(list, given, static_cast<int>(k) + 1);
        };
        auto& given = corners[k];
        return {place(lists.positions, given.vertex_index), place(lists.uvs, given.texcoord_index),
                place(lists.normals, given.normal_index)};
    }

    /// Starts a group whose names are joined by single spaces.
    void start_group(std::span<const char*> names) {
        auto& name = piece_.next_name.emplace();
        for (auto* part : names) name.append(name.empty() ? "" : " ").append(part);
    }

    void note(ObjNote what) { piece_.notes.add(what, statements_.line()); }

    ObjPiece& piece_;
    ObjFileLists& lists_;
    ObjStatements statements_;
};

}  // namespace

void read_piece(ObjPiece& piece, ObjFileLists& lists, const std::string& file,
                const OnBytesParsed& on_parsed) {
    ObjPieceReader(piece, lists, file, on_parsed).read();
}

}  // namespace tl
