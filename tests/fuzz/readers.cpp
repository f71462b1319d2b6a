#include "tests/fuzz/readers.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "app/viewer/files/preferences.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "renderer/images/image_io.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/toml/camera_path_file.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/minimal/solver_writer.h"
#include "solvers/ransac/model_test.h"
#include "solvers/sparse/csr_file.h"
#include "tests/source_path.h"

namespace tl::fuzz {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

Lines read_scene(const std::string& path) {
    Scene scene = load_scene(path);
    return {scene.warnings.begin(), scene.warnings.end()};
}
Lines read_texture(const std::string& path) {
    (void)read_image8(path);
    return {};
}
Lines read_linear_image(const std::string& path) {
    (void)read_image(path);
    return {};
}
Lines read_numbers(const std::string& path) {
    if (is_complex_file(path))
        (void)read_complex_matrix(path);
    else
        (void)read_matrix(path);
    return {};
}
Lines read_sparse_matrix(const std::string& path) {
    (void)read_csr(path);
    return {};
}
Lines read_viewer_preferences(const std::string& path) {
    std::string warning = read_preferences(path).warning;
    return warning.empty() ? Lines{} : Lines{warning};
}

Lines read_path_of_cameras(const std::string& path) {
    Warnings warnings;
    (void)read_camera_path(path, {}, {}, warnings);
    return {warnings.begin(), warnings.end()};
}

/// Reads a system of equations, prepares its test of models, and writes its solver.
Lines generate_solver(const std::string& path) {
    auto system = minimal::read_system(read_text_file(path), path);
    try {
        if (!system.measured.columns.empty()) minimal::ModelTest{system};
        (void)minimal::solver_text(system, minimal::find_template(system));
    } catch (const UserError& error) {  // which knows no file
        throw UserError(path + ": " + error.what());
    }
    return {};
}

/// Number after `key` and the characters between them; 0 if there is none.
double number_after(std::string_view& text, std::string_view key) {
    std::size_t at = text.find(key);
    if (at == std::string_view::npos) return 0;
    text.remove_prefix(at + key.size());
    std::string digits;
    std::size_t begin = std::min(text.find_first_of("0123456789-+.\n"), text.size());
    for (char c : text.substr(begin, 64))
        if (c != '_') digits += c;
    return std::strtod(digits.c_str(), nullptr);
}

/// Detects requests for much memory or time. Scattered instances take memory by their count, which
/// may be 10^8. Points on a mesh take both. Generators turn a few words into more than files hold.
bool asks_for_many(std::string_view bytes) {
    constexpr int kManyKinds = 100;
    int n_kinds = 0;
    for (auto at = bytes.find("kind"); at != std::string_view::npos;
         at = bytes.find("kind", at + 1))
        if (++n_kinds > kManyKinds) return true;
    constexpr double kMost = 1e8;
    constexpr std::pair<std::string_view, double> kMany[] = {
        {"count", 10'000}, {"points", 1'000}, {"sample", 1'000}};
    for (auto [key, many] : kMany) {
        std::string_view rest = bytes;
        double all = 0;
        while (rest.find(key) != std::string_view::npos) {
            double count = number_after(rest, key);
            if (count > 0 && count <= kMost) all += count;
        }
        if (all > many) return true;
    }
    return false;
}

/// Detects sparse matrices whose dense form is large: up to 2^23 elements are possible.
bool is_large_matrix(std::string_view bytes) {
    constexpr double kMany = 1 << 16, kMost = 1 << 23;
    while (!bytes.empty()) {
        std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1);
        std::string line(trimmed(bytes.substr(0, end + 1)));
        bytes.remove_prefix(end + 1);
        if (line.empty() || line[0] == '%') continue;
        char* rest = nullptr;
        double rows = std::strtod(line.c_str(), &rest), columns = std::strtod(rest, nullptr);
        return rows * columns > kMany && rows * columns <= kMost;
    }
    return false;
}

/// Detects pictures much larger than their data. An OpenEXR file's display window is black where it
/// has no data. A few bytes of a Radiance file may repeat a pixel millions of times.
constexpr double kManyPixels = 1 << 20;
bool has_large_display(std::string_view bytes) {
    constexpr std::size_t kBeforeValue = 13 + 1 + 5 + 1 + 4;  // "displayWindow", "box2i", the size
    std::size_t at = bytes.find("displayWindow");
    std::int32_t corners[4];
    if (at > bytes.size() || bytes.size() - at < kBeforeValue + sizeof corners) return false;
    std::memcpy(corners, bytes.data() + at + kBeforeValue, sizeof corners);
    double width = double(corners[2]) - corners[0] + 1,
           height = double(corners[3]) - corners[1] + 1;
    return width * height > kManyPixels;
}
bool repeats_pixels(std::string_view bytes) {
    if (bytes.find("\1\1\1") == std::string_view::npos) return false;
    double product = 1;
    for (std::string_view axis : {"Y ", "X "}) {
        std::string_view rest = bytes;
        product *= number_after(rest, axis);
    }
    return product > kManyPixels;
}

std::vector<Input> files_in(const fs::path& folder) {
    std::vector<fs::path> paths;
    for (auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
    std::ranges::sort(paths);
    std::vector<Input> files;
    for (auto& path : paths) files.push_back({path.extension().string(), read_file(path)});
    return files;
}

}  // namespace

const std::vector<Reader>& readers() {
    // A byte of a picture may legitimately become more than forty bytes. Deflate expands a byte to
    // up to 1032, each of up to eight pixels; pixels of a JPEG can take less than a bit. In an OBJ,
    // every group of a line or two becomes a mesh.
    constexpr std::size_t kPicture = std::size_t{16} << 20, kGroups = std::size_t{8} << 20;
    // Expansion of a byte: a picture's rows, its pixels and their copy.
    constexpr std::size_t kInflated = 3 * 1032;
    // A line of a system of equations may become matrices of millions of numbers.
    constexpr std::size_t kTemplates = std::size_t{64} << 20;
    static const std::vector<Reader> all{
        {.name = "obj", .read = &read_scene, .fixed_bytes = kGroups},
        {.name = "mtl", .read = &read_scene, .named_by = "uses-input.obj"},
        {.name = "ply", .read = &read_scene},
        {.name = "gltf", .read = &read_scene, .fixed_bytes = kPicture},
        {.name = "glb", .read = &read_scene, .fixed_bytes = kPicture},
        {.name = "stl", .read = &read_scene},
        {.name = "points", .read = &read_scene},
        {.name = "patches", .read = &read_scene},
        {.name = "povray", .read = &read_scene},
        {.name = "toml", .read = &read_scene, .asks_for_much = &asks_for_many},
        {.name = "texture", .read = &read_texture, .bytes_per_byte = kInflated},
        {.name = "hdr",
         .read = &read_linear_image,
         .fixed_bytes = kPicture,
         .asks_for_much = &repeats_pixels},
        {.name = "exr",
         .read = &read_linear_image,
         .fixed_bytes = kPicture,
         .bytes_per_byte = kInflated,
         .asks_for_much = &has_large_display},
        {.name = "npy", .read = &read_numbers},
        {.name = "mtx", .read = &read_numbers, .asks_for_much = &is_large_matrix},
        {.name = "csr", .read = &read_sparse_matrix},
        {.name = "preferences", .read = &read_viewer_preferences},
        {.name = "camera-paths", .read = &read_path_of_cameras},
        {.name = "systems",
         .read = &generate_solver,
         .fixed_bytes = kTemplates,
         .most_seconds = test::kSanitized ? 200 : 20},
    };
    return all;
}

const Reader& find_reader(std::string_view name) {
    std::vector<std::string_view> names;
    for (auto& reader : readers()) {
        if (reader.name == name) return reader;
        names.push_back(reader.name);
    }
    throw UsageError("no reader '" + std::string(name) + "'; known: " + joined(names));
}

std::vector<Input> seeds_of(const Reader& reader) {
    return files_in(fs::path(source_path("tests/fuzz/seeds")) / reader.name);
}

std::vector<Input> found_of(const Reader& reader) {
    fs::path folder = fs::path(source_path("tests/fuzz/found")) / reader.name;
    return fs::is_directory(folder) ? files_in(folder) : std::vector<Input>{};
}

void copy_companions(const std::string& folder) {
    fs::copy(source_path("tests/fuzz/seeds/companions"), folder);
}

}  // namespace tl::fuzz
