#include "app/jobs/picture_key.h"

#include <algorithm>
#include <cinttypes>
#include <filesystem>

#include "app/jobs/format.h"
#include "app/version.h"
#include "core/base/checksum.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "session/render_region.h"

namespace tl {
namespace {

std::string text_of(vec3 v) {
    return number_text(v.x) + "," + number_text(v.y) + "," + number_text(v.z);
}

std::string contents_of(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return "no file";
    return formatted("contents of checksum %016" PRIx64, checksum_of(read_file(path)));
}

std::string text_of(AovSet layers) {
    std::vector<std::string> ids;
    for (std::size_t c = 0; c < kAovCount; ++c)
        if (layers[c]) ids.push_back(aov_rows()[c].id);
    return ids.empty() ? "none" : joined(ids);
}

const PictureFact* find_fact(const PictureKey& key, const std::string& name) {
    auto found = std::ranges::find(key, name, &PictureFact::name);
    return found == key.end() ? nullptr : &*found;
}

}  // namespace

PictureKey picture_key(Session& session, const SessionOptions& options, AovSet layers,
                       const ReadLog& files) {
    auto& camera = session.camera;
    auto extent = session.extent();
    auto& region = session.share().region;
    PictureKey key{
        {"the program", version_text()},
        {"--device", session.device().kind() == DeviceKind::cuda ? "cuda" : "cpu"},
        {"the scene", options.scene},
        {"--renderer", session.renderer_id()},
        {"--builder", session.builder_id()},
        {"--size", formatted("%dx%d", extent.width, extent.height)},
        {"--seed", std::to_string(session.seed)},
        {"--time", number_text(session.time)},
        {"--eye", text_of(camera.eye)},
        {"--target", text_of(camera.target)},
        {"--up", text_of(camera.up)},
        {"--fov", number_text(camera.vertical_fov)},
        {"--lens-radius", number_text(camera.lens_radius)},
        {"--focus-distance", number_text(camera.focus_distance)},
        {"--aov", text_of(layers)},
        {"--region", region.is_whole() ? "all" : text_of(region)},
    };
    for (auto& section : session.settings().sections())
        if (section.kind != SectionKind::film)
            for (auto& setting : section.settings)
                key.push_back({"--" + section.id + "-" + setting->id, setting.text()});
    for (auto& file : files.files()) key.push_back({file.path, contents_of(file.path)});
    return key;
}

std::string differences(const PictureKey& wanted, const PictureKey& found) {
    constexpr std::size_t kMost = 3;
    std::vector<std::string> words;
    for (auto& fact : wanted) {
        auto* other = find_fact(found, fact.name);
        if (!other)
            words.push_back(fact.name + " is new");
        else if (other->value != fact.value)
            words.push_back(fact.name + " is " + fact.value + " instead of " + other->value);
    }
    for (auto& fact : found)
        if (!find_fact(wanted, fact.name)) words.push_back(fact.name + " is missing");
    auto n_more = words.size() > kMost ? words.size() - kMost : 0;
    words.resize(words.size() - n_more);
    auto text = joined(words);
    return n_more > 0 ? text + " and " + std::to_string(n_more) + " more" : text;
}

}  // namespace tl
