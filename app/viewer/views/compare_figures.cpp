#include "app/viewer/views/compare_figures.h"

#include <algorithm>
#include <cmath>

#include "app/jobs/format.h"
#include "app/viewer/views/picture_side.h"
#include "core/device/background.h"
#include "renderer/false_color/error_picture.h"
#include "renderer/film/deep_picture.h"

namespace tl {
namespace {

std::size_t count_not_finite(const ImageF& image) {
    return static_cast<std::size_t>(std::ranges::count_if(
        image.rgb, [](vec3 rgb) { return !std::isfinite(rgb.x + rgb.y + rgb.z); }));
}

std::optional<ShownAs> shown_as_of(Session& a, Session& b) {
    auto* picture = picture_in(b);
    if (!picture || !picture->is_shown) return {};
    return ShownAs{a.display().shown_tone_map(), picture->bits()};
}

std::shared_ptr<const FilmPair> pair_of(ImageF a, ImageF b, const FilmStamp& stamp,
                                        const std::optional<ShownAs>& shown_as) {
    auto films = std::make_shared<FilmPair>(FilmPair{std::move(a), std::move(b), stamp});
    if (!shown_as || !fault_of(films->a, films->b).empty()) return films;
    films->shown_a = deep_picture_of(films->a, shown_as->tone, shown_as->bits);
    films->shown_b = deep_picture_of(films->b, {}, shown_as->bits);
    films->a = linear_of(films->shown_a);
    films->b = linear_of(films->shown_b);
    return films;
}

void find_quick(FilmFigures& figures) {
    auto& a = figures.films->a;
    auto& b = figures.films->b;
    figures.stamp = figures.films->stamp;
    figures.fault = fault_of(a, b);
    if (!figures.fault.empty()) return;
    figures.relative_mse = relative_squared_errors(b, a).mean();
    figures.psnr = peak_signal_to_noise(b, a);
    for (std::size_t i = 0; i < a.rgb.size(); ++i) {
        vec3 apart = glm::abs(a.rgb[i] - b.rgb[i]);
        figures.n_differing += a.rgb[i] != b.rgb[i];
        figures.largest = std::max({figures.largest, apart.x, apart.y, apart.z});
    }
}

void find_flip(const FilmFigures& figures, FilmFlip& flip,
               const std::function<void(float)>& report) {
    auto& films = *figures.films;
    flip.stamp = films.stamp;
    flip.figures = figures;
    flip.figures.films.reset();
    flip.map = films.shown_a.rgba.empty() ? flip_errors(films.b, films.a, {}, report)
                                          : flip_errors(films.shown_b, films.shown_a);
    flip.mean = flip.map.mean();
    auto [least, most] = std::ranges::minmax_element(flip.map.values);
    flip.least = *least;
    flip.most = *most;
    flip.picture = error_picture(flip.map, 1);
}

}  // namespace

std::string fault_of(const ImageF& a, const ImageF& b) {
    auto in_a = count_not_finite(a), in_b = count_not_finite(b);
    if (in_a + in_b == 0) return "";
    auto count = in_a ? in_a : in_b;
    return formatted(count == 1 ? "%zu pixel of side %s is not finite: no figures"
                                : "%zu pixels of side %s are not finite: no figures",
                     count, in_a ? "A" : "B");
}

FilmStamp stamp_of(const Session& a, const Session& b) {
    return {a.pictures(), b.pictures(), a.samples(), b.samples()};
}

std::string samples_text(const FilmStamp& stamp) {
    if (stamp.samples_a == stamp.samples_b)
        return formatted("%u %s", stamp.samples_a, plural(stamp.samples_a, "sample").c_str());
    return formatted("A %u and B %u samples", stamp.samples_a, stamp.samples_b);
}

/// Drops the figures of side A that was displayed in another way.
void CompareFigures::follow_display(Session& a, Session& b) {
    auto shown_as = shown_as_of(a, b);
    if (shown_as == shown_as_) return;
    clear();
    shown_as_ = shown_as;
}

bool CompareFigures::advance(Session& a, Session& b, bool still) {
    follow_display(a, b);
    bool news = take_results();
    if (reading_ && readbacks_->a.ready() && readbacks_->b.ready()) start_quick();
    auto now = Clock::now();
    bool both = a.samples() > 0 && b.samples() > 0 && a.extent() == b.extent();
    bool due = still || now - read_at_ >= kEvery;
    if (both && due && !reading_ && !quick_.busy() && stamp_of(a, b) != read_) start_reading(a, b);
    // FLIP of films that have been replaced is worth nothing, unless each frame replaces them.
    if (figures_ && figures_->fault.empty() && figures_->films->stamp != slow_stamp_) {
        auto& newest = figures_->films->stamp;
        bool stale = !newest.same_pictures(slow_stamp_) && newest.samples_a > 1;
        bool rested = still || now - slow_at_ >= kEvery;
        if (slow_wanted_ ? stale : rested) start_slow();
    }
    return news;
}

bool CompareFigures::take_results() {
    bool news = false;
    auto quick = quick_.take();
    if (quick && quick->error.empty() && quick->result.films->stamp == read_) {
        figures_ = std::move(quick->result);
        if (!figures_->fault.empty()) flip_.reset();
        news = true;
    }
    auto slow = slow_.take();
    if (slow) slow_wanted_ = false;
    if (slow && slow->error.empty() && slow->result.stamp == slow_stamp_) {
        flip_ = std::move(slow->result);
        ++flip_version_;
        news = true;
    }
    return news;
}

void CompareFigures::start_reading(Session& a, Session& b) {
    if (!readbacks_) readbacks_ = std::make_shared<Readbacks>();
    readbacks_->a.start(a);
    readbacks_->b.start(b);
    read_ = stamp_of(a, b);
    read_at_ = Clock::now();
    on_one_thread_ = a.device().kind() == DeviceKind::cpu || b.device().kind() == DeviceKind::cpu;
    reading_ = true;
}

void CompareFigures::start_quick() {
    reading_ = false;
    quick_.start("figures", {},
                 [readbacks = readbacks_, stamp = read_, shown_as = shown_as_](
                     JobRun&, FilmFigures& figures) {
                     yield_to_other_threads();
                     figures.films =
                         pair_of(readbacks->a.image(), readbacks->b.image(), stamp, shown_as);
                     find_quick(figures);
                 });
}

void CompareFigures::start_slow() {
    slow_stamp_ = figures_->films->stamp;
    slow_at_ = Clock::now();
    slow_wanted_ = true;
    slow_.start("FLIP", {},
                [figures = *figures_, one = on_one_thread_](JobRun& run, FilmFlip& flip) {
                    auto report = [&](float done) { run.report(static_cast<double>(done)); };
                    auto work = [&] { find_flip(figures, flip, report); };
                    yield_to_other_threads();
                    one ? run_on_one_thread(work) : work();
                });
}

void CompareFigures::find_now(Session& a, Session& b) {
    clear();
    if (a.samples() == 0 || b.samples() == 0) return;
    read_ = slow_stamp_ = stamp_of(a, b);
    figures_.emplace();
    shown_as_ = shown_as_of(a, b);
    figures_->films =
        pair_of(a.film().radiance(a.stream()), b.film().radiance(b.stream()), read_, shown_as_);
    find_quick(*figures_);
    if (!figures_->fault.empty()) return;
    find_flip(*figures_, flip_.emplace(), {});
    ++flip_version_;
}

void CompareFigures::clear() {
    quick_.drop();
    slow_.drop();
    reading_ = slow_wanted_ = false;
    readbacks_.reset();
    read_ = slow_stamp_ = {};
    figures_.reset();
    flip_.reset();
}

ShownFigures CompareFigures::shown(const FilmStamp& now, bool of_map) const {
    if (now.samples_a == 0 || now.samples_b == 0) return {};
    auto* flip = flip_ && flip_->stamp.same_pictures(now) ? &*flip_ : nullptr;
    auto* newest = figures_ && figures_->stamp.same_pictures(now) ? &*figures_ : nullptr;
    bool exact = newest && newest->stamp == now;
    if (newest && (!flip || !newest->fault.empty() || (exact && !of_map)))
        return {newest, flip && flip->stamp == newest->stamp ? flip : nullptr};
    return flip ? ShownFigures{&flip->figures, flip} : ShownFigures{};
}

std::optional<float> CompareFigures::progress(const FilmStamp& now) const {
    bool any = now.samples_a > 0 && now.samples_b > 0;
    if (!slow_wanted_ || !any || !slow_stamp_.same_pictures(now)) return {};
    return slow_.progress();
}

std::string psnr_text(double psnr) {
    return std::isfinite(psnr) ? formatted("%.2f dB", psnr) : "infinite: equal colours";
}

}  // namespace tl
