#include "app/jobs/shared_picture.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace tl {

SharedPicture::SharedPicture(Session& session, RankGroup& ranks, std::chrono::seconds limit,
                             std::function<bool()> interrupted)
    : session_(session),
      ranks_(ranks),
      interrupted_(std::move(interrupted)),
      progress_(ranks, limit) {
    session_.film().set_share(
        {static_cast<std::uint32_t>(ranks.rank()), static_cast<std::uint32_t>(ranks.size())});
    session_.before_look = [this] { exchange_at_all(); };
}

SharedPicture::~SharedPicture() {
    session_.before_look = nullptr;
}

bool SharedPicture::is_adaptive() const {
    return session_.settings().sampling().error > 0 && !session_.renderer().false_color();
}

void SharedPicture::exchange_at_all() {
    session_.film().exchange(session_.stream(), [&](float* numbers, std::size_t count) {
        ranks_.add(numbers, count, -1);
    });
    float n_stop = interrupted_() ? 1 : 0;
    ranks_.add(&n_stop, 1, -1);
    all_stopped_ = n_stop > 0;
}

bool SharedPicture::stopped() const {
    return is_adaptive() ? all_stopped_ : interrupted_();
}

int SharedPicture::show(int spp) {
    // The number of unfinished pixels has to be known to all ranks at the same sample.
    if (is_adaptive()) session_.stream().synchronize();
    progress_.show(session_.samples() / double(spp));
    return static_cast<int>(std::lround(progress_.mean() * spp));
}

SharedPicture::End SharedPicture::finish(int spp, const std::function<void(int)>& wait) {
    bool is_cut = (interrupted_() || all_stopped_) &&
                  session_.samples() < static_cast<std::uint32_t>(spp) && !session_.finished();
    progress_.finish([&] {
        if (ranks_.is_root()) wait(static_cast<int>(std::lround(progress_.mean() * spp)));
    });
    session_.film().exchange(session_.stream(), [&](float* numbers, std::size_t count) {
        ranks_.add(numbers, count, 0);
    });
    End end{0, session_.samples()};
    auto states =
        ranks_.gather((is_cut ? "stopped " : "whole ") + std::to_string(session_.samples()));
    for (auto& state : states) {
        end.n_stopped += state.starts_with("stopped") ? 1 : 0;
        auto samples = std::stoul(state.substr(state.find(' ')));
        end.samples = std::min(end.samples, static_cast<std::uint32_t>(samples));
    }
    return end;
}

}  // namespace tl
