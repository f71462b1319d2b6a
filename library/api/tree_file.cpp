// Files of trees: the geometry and the settings, from which a tree is built again.
#include <span>

#include "core/base/checksum.h"
#include "core/base/files.h"
#include "library/api/tree_call.h"

namespace tl {
namespace {

constexpr std::string_view kTreeFileMark = "TREELIGHT TREE 1\n";

/// Collects the bytes of a file.
class TreeFileWriter {
  public:
    template <class T>
    void add(std::span<const T> values) {
        add_number(values.size());
        bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
    void add_text(const std::string& text) { add(std::span(text.data(), text.size())); }
    void add_number(std::uint64_t number) {
        bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    void write(const std::string& path) const {
        const std::uint64_t sum = checksum_of(bytes_);
        FileWriter file(path);
        file.write(kTreeFileMark);
        file.write({reinterpret_cast<const char*>(&sum), sizeof sum});
        file.write(bytes_);
        file.finish();
    }

  private:
    std::string bytes_;
};

/// Reads what a TreeFileWriter has written. Throws UserError for a damaged file.
class TreeFileReader {
  public:
    explicit TreeFileReader(const std::string& path) : path_(path), bytes_(read_file(path)) {
        rest_ = bytes_;
        if (!rest_.starts_with(kTreeFileMark))
            throw UserError(path_ + " is no file of a tree, or one of another version");
        rest_.remove_prefix(kTreeFileMark.size());
        if (number() != checksum_of(rest_)) fail();
    }
    [[nodiscard]] std::uint64_t number() {
        std::uint64_t value = 0;
        take(&value, sizeof value);
        return value;
    }
    template <class T>
    [[nodiscard]] std::vector<T> values() {
        const std::uint64_t n = number();
        if (n > rest_.size() / sizeof(T)) fail();
        std::vector<T> all(n);
        take(all.data(), n * sizeof(T));
        return all;
    }
    [[nodiscard]] std::string text() {
        auto all = values<char>();
        return {all.begin(), all.end()};
    }
    [[noreturn]] void fail() const { throw UserError(path_ + " is damaged"); }

  private:
    void take(void* to, std::size_t n) {
        if (n > rest_.size()) fail();
        if (n > 0) std::memcpy(to, rest_.data(), n);
        rest_.remove_prefix(n);
    }
    std::string path_, bytes_;
    std::string_view rest_;
};

/// The points of a tree in their original order; those that it has left out are NaN.
HostShapes download_points(const PointSet& points, Stream& stream) {
    HostShapes shapes;
    shapes.count = points.count();
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    shapes.positions.resize(points.count(), vec3(kNan));
    const auto kept = points.download(stream);
    const auto ids = points.download_ids(stream);
    for (std::size_t i = 0; i < kept.size(); ++i) shapes.positions[ids[i]] = kept[i];
    return shapes;
}

tl_floats packed_floats(const std::vector<vec3>& vectors) {
    return {vectors.empty() ? nullptr : &vectors[0].x, 0, 0};
}

/// Whether the arrays of a file have the sizes that its count of primitives needs.
bool is_whole(tl_geometry_kind kind, const HostShapes& shapes) {
    const std::size_t n = shapes.count, n_positions = shapes.positions.size();
    if (kind == TL_TRIANGLES)
        return shapes.faces.empty() ? n_positions / 3 >= n : shapes.faces.size() == 3 * n;
    if (kind == TL_PATCHES)
        return n_positions % PatchPoints::kCount == 0 && n_positions / PatchPoints::kCount == n &&
               (shapes.weights.empty() || shapes.weights.size() == n_positions);
    return n_positions == n && (kind != TL_BOXES || shapes.upper.size() == n) &&
           (kind != TL_SPHERES || shapes.radii.size() == n);
}

/// Builds a tree as one that was saved.
void build_from(tl_tree& tree, tl_geometry_kind kind, const HostShapes& shapes) {
    tl_geometry g{};
    g.kind = kind;
    g.count = shapes.count;
    g.positions = packed_floats(shapes.positions);
    g.n_positions = shapes.positions.size();
    g.faces = shapes.faces.empty() ? nullptr : shapes.faces.data();
    g.upper = packed_floats(shapes.upper);
    g.radii = {shapes.radii.data(), 0, 0};
    g.weights = {shapes.weights.empty() ? nullptr : shapes.weights.data(), 0, 0};
    if (auto status = tl_tree_build(&tree, &g, nullptr)) {
        if (status == TL_NO_MEMORY) throw OutOfMemory(tl_last_error());
        throw UserError(tl_last_error());
    }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

tl_status tl_tree_save(const tl_tree* tree, const char* path) {
    return guarded(
        [&] {
            if (!tree || !path) return fail(TL_INVALID, "an argument is null");
            auto& own = const_cast<tl_tree&>(*tree);
            std::unique_lock lock(own.lock);
            if (own.kind == TL_INSTANCES)
                return refuse_kind("triangles, boxes, spheres, points or patches");
            HostShapes shapes;
            write_tree(own, nullptr, [&](Scratch& scratch, CallArrays&) {
                auto& stream = scratch.stream();
                shapes = own.points ? download_points(*own.points, stream)
                                    : own.shapes->download(stream);
            });
            TreeFileWriter file;
            file.add_number(static_cast<std::uint64_t>(number_of(own.kind)));
            file.add_number(own.settings.size());
            for (const auto& [name, value] : own.settings) {
                file.add_text(name);
                file.add_text(value);
            }
            file.add_number(shapes.count);
            file.add(std::span<const vec3>(shapes.positions));
            file.add(std::span<const std::uint32_t>(shapes.faces));
            file.add(std::span<const vec3>(shapes.upper));
            file.add(std::span<const float>(shapes.radii));
            if (own.kind == TL_PATCHES) file.add(std::span<const float>(shapes.weights));
            file.write(path);
            return TL_OK;
        },
        TL_BAD_FILE);
}

tl_status tl_tree_open(const char* device, const char* path, tl_tree** tree) {
    return guarded(
        [&] {
            if (!device || !path || !tree) return fail(TL_INVALID, "an argument is null");
            *tree = nullptr;
            TreeFileReader file(path);
            const std::uint64_t kind = file.number();
            if (kind > TL_PATCHES || kind == TL_INSTANCES) file.fail();
            TreeSettings settings;
            for (std::uint64_t n = file.number(); n > 0; --n) {
                std::string name = file.text();
                settings.emplace_back(name, file.text());
            }
            HostShapes shapes;
            shapes.count = file.number();
            shapes.positions = file.values<vec3>();
            shapes.faces = file.values<std::uint32_t>();
            shapes.upper = file.values<vec3>();
            shapes.radii = file.values<float>();
            if (kind == TL_PATCHES) shapes.weights = file.values<float>();
            if (!is_whole(static_cast<tl_geometry_kind>(kind), shapes)) file.fail();
            auto made = make_tree(device, settings);
            build_from(*made, static_cast<tl_geometry_kind>(kind), shapes);
            *tree = made.release();
            return TL_OK;
        },
        TL_BAD_FILE);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace tl
