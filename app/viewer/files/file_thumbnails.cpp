#include "app/viewer/files/file_thumbnails.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/viewer/viewer_model.h"
#include "core/base/files.h"
#include "core/device/background.h"
#include "renderer/film/deep_picture.h"
#include "renderer/images/picture_formats.h"
#include "renderer/scene/loaders/data_files.h"

namespace tl {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;  // of a file that is read

std::string ending_of_file(const std::string& path) {
    return lower_case(fs::path(path).extension().string());
}

bool is_picture_file(const std::string& path) {
    return find_format_of(path).has_value();
}

/// The thumbnail of a scene of the gallery; "" for other scenes.
std::string gallery_thumbnail(const fs::path& scene) {
    auto own = find_data_file("scenes/gallery/" + scene.filename().string());
    std::error_code unknown;
    if (own.empty() || !fs::equivalent(own, scene, unknown)) return "";
    return find_data_file("assets/thumbnails/" + scene.stem().string() + ".png");
}

/// The picture that represents an entry; "": none.
std::string picture_for(const fs::path& path, const Preferences& preferences) {
    if (is_picture_file(path.string())) return path.string();
    auto saved = preferences.scene_pictures.find(path.string());
    std::error_code unknown;
    if (saved != preferences.scene_pictures.end() && fs::exists(saved->second, unknown))
        return saved->second;
    return gallery_thumbnail(path);
}

/// Size of a picture that is reduced to fit in `most`.
Extent fitting(Extent picture, Extent most) {
    float scale = std::min({1.0f, float(most.width) / float(picture.width),
                            float(most.height) / float(picture.height)});
    auto side = [scale](int n) { return std::max(1, static_cast<int>(float(n) * scale)); };
    return {side(picture.width), side(picture.height)};
}

/// Means of the pixels of a picture, at(index), for each pixel of a smaller one.
template <class At>
std::vector<vec4> reduced(Extent picture, Extent to, const At& at) {
    std::vector<vec4> means;
    means.reserve(static_cast<std::size_t>(to.pixels()));
    auto edge = [](int i, int from, int n) { return static_cast<int>(std::int64_t{i} * from / n); };
    for (int y = 0; y < to.height; ++y)
        for (int x = 0; x < to.width; ++x) {
            int left = edge(x, picture.width, to.width), top = edge(y, picture.height, to.height);
            int right = std::max(edge(x + 1, picture.width, to.width), left + 1);
            int bottom = std::max(edge(y + 1, picture.height, to.height), top + 1);
            vec4 sum(0);
            for (int v = top; v < bottom; ++v)
                for (int u = left; u < right; ++u)
                    sum +=
                        at(static_cast<std::size_t>(v) * static_cast<std::size_t>(picture.width) +
                           static_cast<std::size_t>(u));
            means.push_back(sum / static_cast<float>((right - left) * (bottom - top)));
        }
    return means;
}

Image8 reduced_radiance(const ImageF& picture, Extent most) {
    ImageF small{fitting(picture.extent, most), {}};
    for (vec4 mean : reduced(picture.extent, small.extent, [&](std::size_t i) {
             return vec4(glm::clamp(picture.rgb[i], vec3(0), vec3(1)), 1);
         }))
        small.rgb.emplace_back(mean);
    Image8 shown;
    shown.extent = small.extent;
    shown.rgba = deep_picture_of(small, {}, 8).rgba;
    return shown;
}

Image8 reduced_colors(const Image8& picture, Extent most) {
    Image8 small{fitting(picture.extent, most), {}};
    for (vec4 mean : reduced(picture.extent, small.extent, [&](std::size_t i) {
             auto* p = &picture.rgba[4 * i];
             return vec4(p[0], p[1], p[2], p[3]);
         }))
        for (int c = 0; c < 4; ++c) small.rgba.push_back(static_cast<std::uint8_t>(mean[c] + 0.5f));
    return small;
}

}  // namespace

Image8 thumbnail_of(const std::string& path, Extent most) {
    if (is_linear_picture(path)) return reduced_radiance(read_image(path), most);
    return reduced_colors(read_image8(path), most);
}

bool FileThumbnails::may_show(const std::string& name) {
    return is_picture_file(name) || ending_of_file(name) == ".toml";
}

std::optional<MenuPicture> FileThumbnails::picture(const std::string& folder,
                                                   const FolderEntry& entry,
                                                   const Preferences& preferences) {
    constexpr std::size_t kMostEntries = 4096;
    if (entry.is_folder || !may_show(entry.name)) return {};
    auto path = picture_for(fs::path(folder) / entry.name, preferences);
    struct stat found {};
    bool fits = !path.empty() && stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
                static_cast<std::uintmax_t>(found.st_size) <= kMostBytes;
    if (!fits) return {};
    if (entries_.size() >= kMostEntries) forget();
    Source source{path, found.st_mtime};
    auto& known = entries_[path];
    known.used = ++n_calls_;
    if (known.source != source) {
        known.source = source;
        wanted_.push_back(source);
    }
    if (known.cell == kNoCell || preview.texture == 0) return {};
    vec2 size(1.0f / kColumns, 1.0f / kRows);
    vec2 from(static_cast<float>(known.cell % kColumns) * size.x,
              static_cast<float>(known.cell / kColumns) * size.y);
    return MenuPicture{preview.texture, from, from + size};
}

std::size_t FileThumbnails::n_kept() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(entries_, [](auto& e) { return e.second.cell != kNoCell; }));
}

bool FileThumbnails::poll(ViewerModel& model) {
    bool news = false;
    if (auto ended = job_.take()) {
        auto& [sources, thumbnails] = ended->result;
        for (std::size_t i = 0; i < thumbnails.size(); ++i) keep(sources[i], thumbnails[i]);
        news = true;
    }
    // Requests of a closed browser are dropped.
    if (!model.view.browser.open) wanted_.clear();
    if (!job_.busy() && !wanted_.empty()) start_reading();
    return news;
}

void FileThumbnails::start_reading() {
    Batch batch;
    for (int i = 0; i < kAtOnce && !wanted_.empty(); ++i) {
        batch.sources.push_back(wanted_.back());
        wanted_.pop_back();
    }
    job_.start("thumbnails", std::move(batch), [](JobRun& run, Batch& read) {
        yield_to_other_threads();
        for (auto& source : read.sources) {
            run.enter("reading");
            Image8 thumbnail;
            try {
                run_on_one_thread([&] { thumbnail = thumbnail_of(source.path, kCell); });
            } catch (const std::exception&) {
                thumbnail = {};  // a file that is no picture has no thumbnail
            }
            read.thumbnails.push_back(std::move(thumbnail));
        }
    });
}

/// Copies a thumbnail to the middle of its cell.
void FileThumbnails::keep(const Source& source, const Image8& thumbnail) {
    auto found = entries_.find(source.path);
    if (found == entries_.end() || found->second.source != source) return;
    auto& entry = found->second;
    if (thumbnail.rgba.empty()) {
        entry.cell = kNoCell;
        return;
    }
    if (entry.cell == kNoCell) entry.cell = take_cell();
    auto& atlas = preview.image;
    if (atlas.rgba.empty()) {
        atlas.extent = {kColumns * kCell.width, kRows * kCell.height};
        atlas.rgba.resize(4 * static_cast<std::size_t>(atlas.extent.pixels()));
    }
    int left = entry.cell % kColumns * kCell.width, top = entry.cell / kColumns * kCell.height;
    auto pixel = [&](int x, int y) {
        return atlas.rgba.begin() + 4 * (std::ptrdiff_t{y} * atlas.extent.width + x);
    };
    for (int y = 0; y < kCell.height; ++y) std::fill_n(pixel(left, top + y), 4 * kCell.width, 0);
    auto [width, height] = thumbnail.extent;
    left += (kCell.width - width) / 2;
    top += (kCell.height - height) / 2;
    for (int y = 0; y < height; ++y)
        std::copy_n(thumbnail.rgba.begin() + 4 * std::ptrdiff_t{y} * width, 4 * width,
                    pixel(left, top + y));
    ++preview.version;
}

/// A free cell, or that of the thumbnail whose last use is longest ago.
int FileThumbnails::take_cell() {
    std::vector<bool> used(kColumns * kRows);
    Entry* oldest = nullptr;
    for (auto& [path, entry] : entries_) {
        if (entry.cell == kNoCell) continue;
        used[static_cast<std::size_t>(entry.cell)] = true;
        if (!oldest || entry.used < oldest->used) oldest = &entry;
    }
    auto free = std::ranges::find(used, false);
    if (free != used.end()) return static_cast<int>(free - used.begin());
    oldest->source = {};  // read again on its next use
    return std::exchange(oldest->cell, kNoCell);
}

void FileThumbnails::forget() {
    job_.drop();
    entries_.clear();
    wanted_.clear();
    if (preview.image.rgba.empty()) return;
    preview.image = {};
    ++preview.version;
}

}  // namespace tl
