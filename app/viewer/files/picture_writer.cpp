#include "app/viewer/files/picture_writer.h"

#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/device/background.h"
#include "renderer/false_color/error_picture.h"
#include "renderer/film/deep_picture.h"
#include "session/picture_layers.h"

namespace tl {

namespace {

AovSet all_layers() {
    return AovSet().set();
}

}  // namespace

PictureParts collect_picture(ViewerModel& model, PictureFormat format) {
    auto& compare = model.view.compare;
    auto* second = compare.second ? &compare.second->session() : nullptr;
    PictureParts parts{.format = format,
                       .scene = model.document.scene.path,
                       .two_sides = second != nullptr,
                       .mode = compare.mode,
                       .split = compare.split,
                       .gain = compare.gain};
    auto linear = [](Session& s) { return radiance_of(s.stream(), s.display().shown_film()); };
    bool flip = second && compare.mode == CompareMode::flip;
    bool displayed = !row_of(format).is_linear;
    if (displayed && flip) {
        auto* found = compare.flip_of(model.session);
        if (found && found->stamp == stamp_of(model.session, *second)) {
            // FLIP of these very films is known.
            parts.two_sides = false;
            parts.shown_a = found->picture;
            return parts;
        }
        auto* picture = compare.second->picture();
        parts.flips_shown = picture && picture->is_shown;
        parts.linear_a = model.session.film().radiance(model.session.stream());
        parts.linear_b = second->film().radiance(second->stream());
    }
    // Differences and FLIP are made of 8-bit colours.
    parts.is_deep =
        format == PictureFormat::png16 && (!second || compare.mode == CompareMode::split);
    if (displayed && !parts.is_deep) {
        parts.shown_a = model.session.display().picture();
        if (second) parts.shown_b = second->display().picture();
        return parts;
    }
    parts.linear_a = linear(model.session);
    parts.tone_a = model.session.display().shown_tone_map();
    if (second) {
        parts.linear_b = linear(*second);
        parts.tone_b = second->display().shown_tone_map();
    }
    if (format == PictureFormat::exr_layers) {
        parts.layers_a = layers_of(model.session, all_layers());
        if (second && !compare.second->picture()) parts.layers_b = layers_of(*second, all_layers());
    }
    return parts;
}

Image8 displayed_picture(const PictureParts& parts) {
    if (!parts.two_sides) return parts.shown_a;
    if (parts.mode == CompareMode::difference)
        return difference_picture(parts.shown_a, parts.shown_b, parts.gain);
    // FLIP says nothing of films that are not finite.
    if (parts.mode == CompareMode::split || !fault_of(parts.linear_a, parts.linear_b).empty())
        return split_picture(parts.shown_a, parts.shown_b, parts.split);
    return error_picture(parts.flips_shown ? flip_errors(parts.shown_b, parts.shown_a)
                                           : flip_errors(parts.linear_b, parts.linear_a),
                         1);
}

namespace {

/// The picture as displayed, in 16 bits a channel if its data has them.
Image16 picture_to_write(const PictureParts& parts) {
    if (!parts.is_deep) return displayed_picture(parts);
    auto a = deep_picture_of(parts.linear_a, parts.tone_a);
    if (!parts.two_sides) return a;
    return split_picture(a, deep_picture_of(parts.linear_b, parts.tone_b), parts.split);
}

}  // namespace

void write_picture(const PictureParts& parts, const std::string& path) {
    if (!row_of(parts.format).is_linear)
        return write_file(path, encode_as(parts.format, path, picture_to_write(parts)));
    write_file(path, encode_as(parts.format, path, parts.linear_a, parts.layers_a));
    if (!parts.two_sides) return;
    auto second = second_path(path);
    write_file(second, encode_as(parts.format, second, parts.linear_b, parts.layers_b));
}

PictureWriter::~PictureWriter() {
    if (!thread_.joinable()) return;
    {
        std::scoped_lock lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

bool PictureWriter::write(PictureParts parts, std::function<std::string()> path_of) {
    {
        std::scoped_lock lock(mutex_);
        if (waiting_.size() >= kMostWaiting) return false;
        waiting_.push_back({std::move(parts), std::move(path_of)});
    }
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    changed_.notify_all();
    return true;
}

std::optional<PictureWriter::Written> PictureWriter::take() {
    std::scoped_lock lock(mutex_);
    if (done_.empty()) return std::nullopt;
    auto first = std::move(done_.front());
    done_.pop_front();
    return first;
}

bool PictureWriter::busy() const {
    std::scoped_lock lock(mutex_);
    return working_ || !waiting_.empty();
}

std::size_t PictureWriter::unfinished() const {
    std::scoped_lock lock(mutex_);
    return waiting_.size() + done_.size() + (working_ ? 1 : 0);
}

void PictureWriter::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !working_ && waiting_.empty(); });
}

void PictureWriter::run() {
    yield_to_other_threads();
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return stop_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        auto picture = std::move(waiting_.front());
        waiting_.pop_front();
        working_ = true;
        lock.unlock();
        Written written;
        written.scene = picture.parts.scene;
        try {
            written.path = picture.path_of();
            run_on_one_thread([&] { write_picture(picture.parts, written.path); });
        } catch (const std::exception& error) {
            written.error = message_of(error);
        }
        picture = {};
        lock.lock();
        working_ = false;
        done_.push_back(std::move(written));
        changed_.notify_all();
        if (written_) written_();
    }
}

}  // namespace tl
