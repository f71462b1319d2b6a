#include "renderer/scene/loaders/obj/obj_reader.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/host_memory.h"
#include "renderer/scene/loaders/obj/obj_colors.h"
#include "renderer/scene/loaders/obj/obj_piece.h"
#include "renderer/scene/loaders/obj/obj_triangles.h"
#include "renderer/scene/loaders/recentre.h"

namespace tl {
namespace {

constexpr std::int64_t kMostElements = 2'000'000'000;  // indices are int
constexpr std::size_t kMostShapes = 100'000;           // a mesh takes about a kilobyte

/// Reads pieces of a text at the same time, and joins them in their order.
class ObjReader {
  public:
    ObjReader(std::string& text, const std::string& file, const ReadProgress& progress)
        : text_(text), file_(file), progress_(progress) {}

    ObjFile read(std::size_t n_piece_bytes) {
        if (auto nul = text_.find('\0'); nul != std::string::npos)
            throw UserError(file_ + ": byte " + std::to_string(nul) +
                            " is zero: this is no OBJ text, which is UTF-8, or UTF-16 with a byte "
                            "order mark");
        read_pieces(n_piece_bytes);
        if (lists_.uvs.count == 0) forget(&ObjCorner::uv, lists_.uvs, ObjNote::no_uvs);
        if (lists_.normals.count == 0)
            forget(&ObjCorner::normal, lists_.normals, ObjNote::no_normals);
        for (auto* list : {&lists_.positions, &lists_.uvs, &lists_.normals})
            if (list->greatest_index > list->count)
                fail(list->line_of_greatest,
                     std::string(list->name) + " " + std::to_string(list->greatest_index) +
                         " is named, but the file has " + std::to_string(list->count) +
                         "; it may be cut off");
        if (result_.shapes.empty() && result_.strokes.empty()) take_all_as_points();
        if (!lost_positions_.empty()) leave_out_lost_points();
        place();
        result_.uvs = std::move(elements_.uvs);
        result_.normals = std::move(elements_.normals);
        result_.colors = colors_.take(result_.positions.size());
        triangulate(result_, file_);
        result_.warnings = notes_.warnings(file_);
        return std::move(result_);
    }

  private:
    struct Ended {};  ///< thrown where another thread has ended the reading

    void read_pieces(std::size_t n_piece_bytes) {
        auto pieces = counted_pieces(piece_bounds(text_, n_piece_bytes));
        WorkLoop loop(progress_, "parsing", text_.size());
        // A batch has work for all threads.
        constexpr int kPiecesOfThread = 4;
        auto n_at_once =
            static_cast<std::size_t>(tbb::this_task_arena::max_concurrency() * kPiecesOfThread);
        for (std::size_t first = 0; first < pieces.size(); first += n_at_once) {
            auto batch =
                std::span(pieces).subspan(first, std::min(n_at_once, pieces.size() - first));
            read_batch(batch, loop);
        }
        loop.end();
    }

    /// The pieces, with the numbers of lines and elements before each of them.
    std::vector<ObjPiece> counted_pieces(const std::vector<std::size_t>& bounds) {
        std::size_t n_pieces = bounds.size() - 1;
        std::vector<ObjPiece> pieces(n_pieces);
        std::vector<ObjCounts> counts(n_pieces);
        for_each(n_pieces, [&](std::size_t i) {
            pieces[i].begin = text_.data() + bounds[i];
            pieces[i].end = text_.data() + bounds[i + 1];
            counts[i] = ObjLines(pieces[i].begin, pieces[i].end).count();
        });
        ObjCounts total;
        for (std::size_t i = 0; i < n_pieces; ++i) {
            pieces[i].lists.positions.count = total.positions;
            pieces[i].lists.uvs.count = total.uvs;
            pieces[i].lists.normals.count = total.normals;
            pieces[i].n_lines_before = total.lines;
            total.positions += counts[i].positions;
            total.uvs += counts[i].uvs;
            total.normals += counts[i].normals;
            total.lines += counts[i].lines;
        }
        if (std::max({total.positions, total.uvs, total.normals}) > kMostElements)
            throw UserError(file_ +
                            ": more than 2,000,000,000 vertices, texture coordinates or "
                            "normals; split the file");
        auto bytes_of = [](std::int64_t n, std::size_t size) {
            return static_cast<std::uint64_t>(n) * size;
        };
        require_host_memory(bytes_of(total.positions, sizeof elements_.positions[0]) +
                                bytes_of(total.uvs, sizeof elements_.uvs[0]) +
                                bytes_of(total.normals, sizeof elements_.normals[0]),
                            file_, "split the file");
        elements_.positions.resize(static_cast<std::size_t>(total.positions));
        elements_.uvs.resize(static_cast<std::size_t>(total.uvs));
        elements_.normals.resize(static_cast<std::size_t>(total.normals));
        return pieces;
    }

    /// Reads pieces, and throws the error of the first one that has one. This thread reports what
    /// all threads have parsed; an exception of the report ends the other pieces too.
    void read_batch(std::span<ObjPiece> pieces, WorkLoop& loop) {
        std::vector<std::exception_ptr> errors(pieces.size());
        std::exception_ptr ended;
        std::atomic<bool> ends = false;
        std::atomic<std::size_t> n_parsed =
            static_cast<std::size_t>(pieces.front().begin - text_.data());
        auto on_parsed = [&, reporter = std::this_thread::get_id()](std::size_t n_bytes) {
            auto total = n_parsed += n_bytes;
            if (ends) throw Ended();
            if (std::this_thread::get_id() != reporter) return;
            try {
                loop.at(total);
            } catch (...) {
                ended = std::current_exception();
                ends = true;
                throw Ended();
            }
        };
        for_each(pieces.size(), [&](std::size_t i) {
            try {
                if (!ends) read_piece(pieces[i], elements_, file_, on_parsed);
            } catch (...) {
                errors[i] = std::current_exception();
            }
        });
        if (ended) std::rethrow_exception(ended);
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (errors[i]) std::rethrow_exception(errors[i]);
            join(std::move(pieces[i]));
        }
    }

    template <class Use>
    static void for_each(std::size_t n, Use&& use) {
        if (n == 1)
            use(0);
        else
            tbb::parallel_for(std::size_t{0}, n, use);
    }

    /// Adds what a piece has to the file, and resolves what it has from the pieces before.
    void join(ObjPiece piece) {
        std::vector<int> places;
        for (auto& name : piece.materials)
            places.push_back(place_in(result_.used_materials, material_places_, name));
        auto material = [&](int local) {
            return local == kCarriedOver ? material_
                   : local < 0           ? -1
                                         : places[static_cast<std::size_t>(local)];
        };
        auto group = [&](int local) { return local == kCarriedOver ? smoothing_group_ : local; };
        for (auto& face : piece.faces) {
            face.material = material(face.material);
            face.smoothing_group = group(face.smoothing_group);
        }
        for (auto& stroke : piece.strokes)
            result_.strokes.push_back({stroke.from, stroke.to, material(stroke.material)});
        join_shapes(piece);
        if (piece.next_name) next_name_ = std::move(piece.next_name);
        material_ = material(piece.material);
        smoothing_group_ = group(piece.smoothing_group);
        result_.has_smoothing_groups |= piece.has_smoothing_groups;
        for (auto& library : piece.material_libraries)
            (void)place_in(result_.material_libraries, library_places_, std::string(library));
        notes_.add(piece.notes);
        for (auto& one : piece.colors)
            colors_.add(static_cast<std::size_t>(one.position), one.color);
        for (auto& line : piece.packed_colors) read_packed_colors(line);
        lost_positions_.insert(lost_positions_.end(), piece.lost_positions.begin(),
                               piece.lost_positions.end());
        join_list(lists_.positions, piece.lists.positions);
        join_list(lists_.uvs, piece.lists.uvs);
        join_list(lists_.normals, piece.lists.normals);
    }

    static void join_list(ObjElements& list, const ObjElements& later) {
        list.count = later.count;
        if (later.greatest_index <= list.greatest_index) return;
        list.greatest_index = later.greatest_index;
        list.line_of_greatest = later.line_of_greatest;
    }

    void join_shapes(ObjPiece& piece) {
        std::size_t n_carried = piece.starts.empty() ? piece.faces.size() : piece.starts[0].face;
        if (n_carried > 0) start_shape(piece.line_of_first_face);
        std::size_t face = 0, corner = 0;
        auto append = [&](std::size_t end_face, std::size_t end_corner) {
            if (face == end_face) return;
            auto& shape = result_.shapes.back();
            auto* faces = piece.faces.data();
            auto* corners = piece.corners.data();
            shape.faces.insert(shape.faces.end(), faces + face, faces + end_face);
            shape.corners.insert(shape.corners.end(), corners + corner, corners + end_corner);
            face = end_face;
            corner = end_corner;
        };
        for (auto& start : piece.starts) {
            append(start.face, start.corner);
            next_name_ = std::move(start.name);
            start_shape(start.line);
        }
        append(piece.faces.size(), piece.corners.size());
    }

    /// Starts the object or group that was named last, if a face has not started it before. `line`
    /// is that of its first face.
    void start_shape(std::size_t line) {
        if (!next_name_) return;
        if (result_.shapes.size() == kMostShapes)
            notes_.add(ObjNote::shape, line);
        else
            result_.shapes.push_back({*next_name_, {}, {}});
        next_name_.reset();
    }

    void read_packed_colors(const ObjPiece::PackedColors& line) {
        auto left_over = colors_.add_packed(line.digits, line.n_positions);
        if (left_over == ObjColors::Rest::no_color) notes_.add(ObjNote::packed_color, line.line);
        if (left_over == ObjColors::Rest::more_than_vertices)
            notes_.add(ObjNote::surplus_color, line.line);
    }

    /// Clears the corners' indices in a list that the file does not have.
    void forget(int ObjCorner::*index, ObjElements& list, ObjNote note) {
        for (auto& shape : result_.shapes)
            for (auto& corner : shape.corners)
                if (std::exchange(corner.*index, -1) >= 0) notes_.add(note, list.line_of_greatest);
        list.greatest_index = 0;
    }

    /// A file of vertices alone is a cloud of points.
    void take_all_as_points() {
        if (auto others = notes_.instead_of_faces(); !others.empty())
            throw UserError(file_ + ": has no faces but " + others +
                            ", so there is nothing to draw; export surfaces as polygons");
        if (lists_.positions.count == 0 || notes_.has(ObjNote::small_face))
            throw UserError(file_ + ": has no faces, so there is nothing to draw" +
                            (text_.empty() ? " (the file is empty)" : ""));
        for (int i = 0; i < static_cast<int>(lists_.positions.count); ++i)
            result_.strokes.push_back({i, i, -1});
    }

    /// Leaves out points without a finite position. A face or line that names such a position is an
    /// error.
    void leave_out_lost_points() {
        auto lost = [&](int position) {
            auto found =
                std::ranges::lower_bound(lost_positions_, position, {}, &ObjLostPosition::position);
            return found != lost_positions_.end() && found->position == position ? &*found
                                                                                 : nullptr;
        };
        auto check = [&](int position) {
            if (auto* named = lost(position))
                fail(named->line, "vertex " + std::to_string(position + 1) +
                                      ", which a face or line names, is not finite");
        };
        for (auto& shape : result_.shapes)
            for (auto& corner : shape.corners) check(corner.position);
        std::erase_if(result_.strokes, [&](const ObjStroke& stroke) {
            auto* named = lost(stroke.from);
            bool is_lost_point = named && stroke.from == stroke.to;
            if (is_lost_point) {
                notes_.add(ObjNote::lost_point, named->line);
            } else {
                check(stroke.from);
                check(stroke.to);
            }
            return is_lost_point;
        });
        if (result_.shapes.empty() && result_.strokes.empty())
            fail(lost_positions_.front().line,
                 "none of the points has coordinates that are finite");
        for (auto& one : lost_positions_)
            elements_.positions[static_cast<std::size_t>(one.position)] = glm::dvec3(0);
    }

    /// Converts the positions to floats, relative to a point near those that are referenced.
    void place() {
        WideBox bounds;
        for (auto& shape : result_.shapes)
            for (auto& corner : shape.corners)
                bounds.extend(elements_.positions[static_cast<std::size_t>(corner.position)]);
        for (auto& stroke : result_.strokes)
            for (int end : {stroke.from, stroke.to})
                bounds.extend(elements_.positions[static_cast<std::size_t>(end)]);
        result_.offset = recentring_offset(bounds);
        result_.positions = recentred(elements_.positions, result_.offset);
        elements_.positions = {};
    }

    /// Index of `name` in `names`, added if it is missing; -1 for no name. The map has the indices
    /// of all names.
    static int place_in(std::vector<std::string>& names,
                        std::unordered_map<std::string, int>& places, const std::string& name) {
        if (name.empty()) return -1;
        auto [place, is_new] = places.try_emplace(name, static_cast<int>(names.size()));
        if (is_new) names.push_back(name);
        return place->second;
    }

    [[noreturn]] void fail(std::size_t line, const std::string& what) const {
        throw UserError(file_ + ":" + std::to_string(line) + ": " + what);
    }

    std::string& text_;
    const std::string& file_;
    const ReadProgress& progress_;
    ObjFile result_;
    ObjFileLists elements_;
    ObjLists lists_;
    ObjNotes notes_;
    ObjColors colors_;
    std::vector<ObjLostPosition> lost_positions_;
    std::unordered_map<std::string, int> material_places_, library_places_;
    // As they are after the pieces that have been joined.
    std::optional<std::string> next_name_{""};  // of the shape that the next face starts
    int material_ = -1, smoothing_group_ = 0;
};

}  // namespace

ObjFile read_obj(std::string text, const std::string& file, const ReadProgress& progress,
                 std::size_t n_piece_bytes) {
    return ObjReader(text, file, progress).read(n_piece_bytes);
}

}  // namespace tl
