#include "renderer/scene/toml/camera_path_file.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json_depth.h"
#include "renderer/scene/toml/toml_table.h"

namespace tl {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLargestPathFile = std::size_t{64} << 20;
constexpr double kLatest = 1e6;          // seconds, as for --time
constexpr std::size_t kDeepestPath = 8;  // arrays and tables within each other

toml::array array_of(const Json& list);
toml::table table_of(const Json& object);

/// Passes a JSON value to `put` in its type of TOML. A null counts as missing.
template <class Put>
void put_as_toml(const Json& value, Put put) {
    if (value.is_object()) put(table_of(value));
    if (value.is_array()) put(array_of(value));
    if (value.is_string()) put(value.get<std::string>());
    if (value.is_boolean()) put(value.get<bool>());
    if (value.is_number()) put(value.get<double>());
}

toml::array array_of(const Json& list) {
    toml::array result;
    for (auto& value : list)
        put_as_toml(value, [&](auto&& v) { result.push_back(std::forward<decltype(v)>(v)); });
    return result;
}

/// A JSON object as a TOML table, so that one reader serves both.
toml::table table_of(const Json& object) {
    toml::table result;
    for (auto& [key, value] : object.items())
        put_as_toml(value,
                    [&](auto&& v) { result.insert_or_assign(key, std::forward<decltype(v)>(v)); });
    return result;
}

toml::table parse_json(const std::string& path, const std::string& text) {
    if (json_depth(text) > kDeepestPath)
        throw UserError(path + ": lists and objects are nested too deeply");
    Json json;
    try {
        json = Json::parse(text);
    } catch (const Json::exception& error) {
        // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
        std::string what = error.what();
        auto end = what.find("] ");
        throw UserError(path + ": " + (end == std::string::npos ? what : what.substr(end + 2)));
    }
    if (!json.is_object())
        throw UserError(path + ": is no JSON object; write {\"camera\": [{\"time\": 0, ...}]}");
    return table_of(json);
}

bool is_json(const std::string& path) {
    return lower_case(std::filesystem::path(path).extension().string()) == ".json";
}

toml::table parse_camera_path(const std::string& path) {
    std::string text = read_text_file(path, {}, kLargestPathFile);
    return is_json(path) ? parse_json(path, text) : parse_toml(text, path);
}

TimedCamera read_timed_camera(TomlTable& table, const Camera& start, const glm::dvec3& offset) {
    for (auto* key : {"time", "eye", "target"}) table.require(key);
    TimedCamera timed{.time = table.number("time", 0, -kLatest, kLatest), .camera = start};
    table.read_camera(timed.camera, offset);
    return timed;
}

}  // namespace

CameraPath read_camera_path(const std::string& path, const Camera& start, const glm::dvec3& offset,
                            Warnings& warnings) {
    toml::table source = parse_camera_path(path);
    TomlTable root(source, "the camera path", path);
    if (root.number("version", 1, -1e18, 1e18) != 1)
        root.fail("version", "this program reads version 1 of camera paths");
    auto* node = root.find("camera");
    auto* list = node ? node->as_array() : nullptr;
    if (!list || list->empty())
        root.fail("camera",
                  std::string("a camera path needs a list of cameras; write ") +
                      (is_json(path) ? "{\"camera\": [{\"time\": 0, ...}]}" : "[[camera]]"));
    std::vector<TimedCamera> cameras;
    for (auto& element : *list) {
        std::string title = "[[camera]] " + std::to_string(cameras.size() + 1);
        if (!element.is_table())
            throw UserError(at(path, element.source(), title + " is no table; write [[camera]]"));
        TomlTable table(*element.as_table(), title, path);
        auto timed = read_timed_camera(table, start, offset);
        if (!cameras.empty() && !(timed.time > cameras.back().time))
            table.fail("time", title + " is not later than the one before it; sort them by time");
        table.warn_about_unknown_keys(warnings);
        cameras.push_back(timed);
    }
    root.warn_about_unknown_keys(warnings);
    return CameraPath(std::move(cameras));
}

}  // namespace tl
