#include "session/split/split_frames.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "core/base/work_thread.h"
#include "core/device/copy_across.h"
#include "core/device/steps_in_flight.h"
#include "renderer/film/tile_transfer.h"

namespace tl {
namespace {

/// The text of a setting.
struct SettingText {
    std::string section, id, text;
};

/// The settings on which a session's samples depend.
std::vector<SettingText> settings_of_samples(Session& session) {
    std::vector<SettingText> all;
    for (auto& section : session.settings().sections()) {
        if (section.kind == SectionKind::film) continue;
        for (auto& setting : section.settings)
            all.push_back({section.id, setting->id, setting.text()});
    }
    return all;
}

/// Inputs of another device's sample.
struct SampleOrder {
    std::shared_ptr<const Scene> scene;
    SceneChange edit;  ///< of the scene, since the last sample
    bool invalidates_trees = false;
    std::string renderer, builder;
    std::vector<SettingText> settings;
    bool sets_settings = false;  ///< whether any has changed, or the picture restarts
    Extent extent{};
    Camera camera;
    MovingCamera moving_camera;
    std::uint64_t seed = 0;
    float time = 0;
    std::uint32_t sample = 0;
    const std::atomic<Cancellation>* cancellation = nullptr;
};

void set_settings(Session& session, const SampleOrder& order) {
    auto sections = session.settings().sections();
    for (auto& given : order.settings) {
        auto* section = find_section(sections, given.section);
        if (!section) continue;
        auto& setting = find_setting(section->settings, given.id, given.section);
        if (setting.text() == given.text) continue;
        setting.set(given.text);
        if (section->kind == SectionKind::builder) session.live_scene().invalidate_tree();
    }
    session.restart();
}

/// Fraction of a film's tiles that a share owns.
double fraction_of_tiles(Extent extent, const FilmShare& share) {
    std::uint32_t n_all = tiles_along(extent.width) * tiles_along(extent.height);
    return double(share.tiles_of(extent).size()) / std::max(n_all, 1u);
}

/// Brings a session to the state that an order describes.
void follow(Session& session, const SampleOrder& order) {
    bool is_new_scene = session.shared_scene() != order.scene;
    if (is_new_scene)
        session.set_scene(order.scene);
    else
        session.follow_scene(order.edit);
    if (session.renderer_id() != order.renderer) session.set_renderer(order.renderer);
    if (session.builder_id() != order.builder) session.set_builder(order.builder);
    if (is_new_scene || order.sets_settings) set_settings(session, order);
    if (order.invalidates_trees) session.invalidate_trees();
    session.resize(order.extent);
    session.camera = order.camera;
    session.moving_camera = order.moving_camera;
    session.seed = order.seed;
    session.time = order.time;
    session.cancellation = order.cancellation;
}

}  // namespace

struct SplitFrames::Helper {
    explicit Helper(Device& device) : session(device) {
        session.timer().enable(false);
        session.is_helper_ = true;
    }

    Session session;
    TileTransfer transfer, picture_transfer;
    DeviceArray<std::uint32_t> picture;  ///< tone-mapped, for show()
    FilmShare share;
    double fraction = 0;  ///< of the film's tiles, in the share
    FrameSpeed speed;
    StepsInFlight ahead{4};
    SceneChange edit;  ///< to be followed
    bool invalidates_trees = false;
    std::uint32_t settings_version = 0;  ///< of the session that it helps, at the last sample
    bool has_sampled = false;            ///< whether the newest sample is complete
    /// The last member: it ends before the others do. Frames follow each other within
    /// milliseconds.
    WorkThread thread{{}, std::chrono::microseconds(2000)};

    /// Tone-maps the helper's pixels, and copies them.
    void show(const ToneMap& map, Stream& target, View<std::uint32_t> rgba8, bool bottom_up) {
        FilmView film = session.film_.view();
        picture.resize_discard(session.stream(), rgba8.size);
        tone_map(session.stream(), film, map, picture.view(), false);
        picture_transfer.copy_picture(std::as_const(picture).view(), session.stream(), rgba8,
                                      target, film.extent, share, bottom_up);
    }
    /// In the helper's thread.
    void sample(const SampleOrder& order) {
        has_sampled = false;
        session.device().make_current();
        auto versions_before = session.versions();
        follow(session, order);
        session.set_samples(order.sample);
        session.film_.set_share(share);
        // Frames with other work than samples are not measured.
        bool is_usual = session.versions().settings == versions_before.settings &&
                        session.versions().scene == versions_before.scene;
        speed.begin(session.stream(), is_usual ? fraction : 0);
        session.begin_frame();
        has_sampled = session.render_frame();
        session.end_frame();
        has_sampled ? speed.end(session.stream()) : speed.discard();
        ahead.end_step(session.stream());
    }
};

SplitFrames::SplitFrames(Session& session, const std::vector<Device*>& others) : session_(session) {
    auto all = others;
    all.push_back(&session.device());
    link_devices(all);
    for (Device* device : others) helpers_.push_back(std::make_unique<Helper>(*device));
    parts_.assign(helpers_.size() + 1, 1 / double(helpers_.size() + 1));
    exchange_ = std::make_unique<PhotonExchange>(parts_.size());
    list_devices();
}

SplitFrames::~SplitFrames() = default;

std::vector<Device*> SplitFrames::devices() const {
    std::scoped_lock lock(mutex_);
    return devices_;
}

void SplitFrames::list_devices() {
    std::scoped_lock lock(mutex_);
    devices_.clear();
    for (auto& helper : helpers_) devices_.push_back(&helper->session.device());
}

void SplitFrames::follow_scene(const SceneChange& change) {
    for (auto& helper : helpers_) {
        helper->edit.any |= change.any;
        helper->edit.geometry |= change.geometry;
        helper->edit.environment |= change.environment;
    }
    had_new_picture_ = false;
}

void SplitFrames::invalidate_trees() {
    for (auto& helper : helpers_) helper->invalidates_trees = true;
}

std::vector<double> SplitFrames::even_parts() {
    std::vector<double> parts{own_speed_.newest()};
    for (auto& helper : helpers_) {
        try {
            parts.push_back(helper->speed.newest());
        } catch (const UserError&) {
            return {};  // the device has failed, which its next sample will report
        }
    }
    if (std::ranges::find(parts, 0.0) != parts.end()) return {};
    constexpr double kLeast = 0.002;  // a device without a tile would never be measured again
    double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    for (auto& part : parts) part = std::max(part / sum, kLeast);
    sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    for (auto& part : parts) part /= sum;
    return parts;
}

bool SplitFrames::wants_new_picture() {
    // The first samples allocate; after more of them, too much would be lost.
    constexpr std::uint32_t kFirst = 3, kLast = 12;
    constexpr double kUneven = 0.2;  // of a part
    auto n = session_.samples();
    if (n < kFirst || n > kLast || had_new_picture_ || !is_dividing_) return false;
    auto parts = even_parts();
    for (std::size_t i = 0; i < parts.size(); ++i)
        had_new_picture_ |= std::abs(parts[i] - parts_[i]) > kUneven * parts_[i];
    if (had_new_picture_) parts_ = parts;
    return had_new_picture_;
}

void SplitFrames::share_tiles(const FilmShare& whole) {
    auto even = even_parts();
    for (std::size_t i = 0; i < even.size(); ++i) parts_[i] = (parts_[i] + even[i]) / 2;
    double begin = parts_[0];
    own_share_ = whole.part(0, helpers_.empty() ? 1 : begin);
    for (std::size_t i = 0; i < helpers_.size(); ++i) {
        auto& helper = *helpers_[i];
        double end = i + 1 == helpers_.size() ? 1 : begin + parts_[i + 1];
        helper.share = whole.part(begin, end);
        helper.fraction = fraction_of_tiles(session_.extent(), helper.share);
        begin = end;
    }
}

void SplitFrames::begin_sample(const FilmShare& whole) {
    bool is_new_scene = scene_ != session_.shared_scene();
    bool has_new_settings = settings_version_ != session_.versions().settings;
    if (is_new_scene) had_new_picture_ = false;
    scene_ = session_.shared_scene();
    settings_version_ = session_.versions().settings;
    if (session_.samples() == 0) {
        auto& renderer = session_.renderer();
        is_dividing_ = !helpers_.empty() && !renderer.compares_pixels() && !renderer.false_color();
        share_tiles(whole);
    }
    session_.film_.set_share(is_dividing_ ? own_share_ : whole);
    is_joined_ = !is_dividing_;
    if (!is_dividing_) return;
    exchange_->begin_frame();
    start_helpers();
    bool is_usual = !is_new_scene && !has_new_settings;
    own_speed_.begin(session_.stream(),
                     is_usual ? fraction_of_tiles(session_.extent(), own_share_) : 0);
}

void SplitFrames::start_helpers() {
    SampleOrder order{scene_,
                      {},
                      false,
                      session_.renderer_id(),
                      session_.builder_id(),
                      {},
                      false,
                      session_.film_.extent(),
                      session_.last_.camera,
                      session_.last_.moving_camera,
                      session_.last_.seed,
                      session_.last_.time,
                      session_.samples(),
                      session_.cancellation};
    auto is_behind = [&](auto& helper) { return helper->settings_version != settings_version_; };
    if (std::ranges::any_of(helpers_, is_behind)) order.settings = settings_of_samples(session_);
    std::size_t n_started = 0;
    try {
        for (auto& helper : helpers_) {
            order.edit = std::exchange(helper->edit, {});
            order.invalidates_trees = std::exchange(helper->invalidates_trees, false);
            order.sets_settings = is_behind(helper);
            helper->settings_version = settings_version_;
            std::size_t seat = n_started + 1;
            helper->session.photon_share_ = &exchange_->share(seat);
            helper->thread.start([this, &helper = *helper, order, seat] {
                struct DropOut {
                    PhotonExchange& exchange;
                    std::size_t seat;
                    ~DropOut() { exchange.drop_out(seat); }
                } at_end{*exchange_, seat};
                helper.sample(order);
            });
            ++n_started;
        }
    } catch (...) {
        while (n_started < helpers_.size()) exchange_->drop_out(++n_started);
        throw;
    }
}

void SplitFrames::end_own_sample() {
    if (is_dividing_) own_speed_.end(session_.stream());
}

SampleEnd SplitFrames::end_sample() {
    own_speed_.discard();
    exchange_->drop_out(0);
    auto end = SampleEnd::complete;
    std::vector<Failure> failures;
    for (std::size_t i = helpers_.size(); i-- > 0;) {
        auto& helper = *helpers_[i];
        if (!helper.thread.busy()) continue;
        try {
            helper.thread.finish();
            if (!helper.has_sampled) end = SampleEnd::cancelled;
        } catch (const std::exception& error) {
            failures.push_back({i, message_of(error)});
        }
    }
    drop(failures);
    return failures.empty() ? end : SampleEnd::lost;
}

void SplitFrames::drop(const std::vector<Failure>& failures) {
    if (failures.empty()) return;
    for (auto& failure : failures) {
        auto helper = helpers_.begin() + static_cast<std::ptrdiff_t>(failure.index);
        warning_ += (warning_.empty() ? "device " : "; device ") +
                    (*helper)->session.device().id() + " is no longer used: " + failure.reason;
        helpers_.erase(helper);
    }
    parts_.assign(helpers_.size() + 1, 1 / double(helpers_.size() + 1));
    own_speed_.forget();
    for (auto& helper : helpers_) helper->speed.forget();
    exchange_ = std::make_unique<PhotonExchange>(parts_.size());
    list_devices();
}

template <class Take>
void SplitFrames::take_pixels(const Take& take) {
    std::vector<Failure> failures;
    for (std::size_t i = helpers_.size(); i-- > 0;) {
        try {
            take(*helpers_[i]);
        } catch (const std::exception& error) {
            failures.push_back({i, message_of(error)});
        }
    }
    if (failures.empty()) return;
    is_joined_ = true;
    drop(failures);
    session_.restart();
}

void SplitFrames::join() {
    if (is_joined_) return;
    take_pixels([this](Helper& helper) {
        helper.transfer.copy(helper.session.film(), helper.session.stream(), session_.film_,
                             session_.stream(), helper.share);
    });
    is_joined_ = true;
}

bool SplitFrames::show(const ToneMap& map, View<std::uint32_t> rgba8, bool bottom_up) {
    if (is_joined_) return false;
    tone_map(session_.stream(), session_.film_.view(), map, rgba8, bottom_up);
    take_pixels([&](Helper& helper) { helper.show(map, session_.stream(), rgba8, bottom_up); });
    return true;
}

void SplitFrames::copy_converged() {
    auto* converged = session_.convergence();
    if (!is_dividing_ || !converged) return;
    for (auto& helper : helpers_) {
        auto* other = helper->session.convergence();
        try {
            if (other) converged->copy_done(session_.stream(), *other, helper->session.stream());
        } catch (const UserError&) {
            // The device has failed, which its next sample will report.
        }
    }
}

std::string SplitFrames::take_warning() {
    return std::exchange(warning_, "");
}

void SplitFrames::trim() {
    for (auto& helper : helpers_) {
        try {
            helper->session.trim();
        } catch (const UserError&) {
            // The device has failed, which its next sample will report.
        }
    }
}

}  // namespace tl
