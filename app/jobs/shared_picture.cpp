#include "app/jobs/shared_picture.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "app/jobs/share_gather.h"

namespace tl {

SharedPicture::SharedPicture(Session& session, RankGroup& ranks, std::chrono::seconds limit,
                             std::function<bool()> interrupted)
    : session_(session),
      ranks_(ranks),
      share_(FilmShare::of(static_cast<std::uint32_t>(ranks.rank()),
                           static_cast<std::uint32_t>(ranks.size()))),
      interrupted_(std::move(interrupted)),
      progress_(ranks, limit) {
    share_.region = session_.share().region;
    session_.set_share(share_);
    session_.before_look = [this] { exchange_at_all(); };
}

SharedPicture::~SharedPicture() {
    session_.before_look = nullptr;
}

bool SharedPicture::is_adaptive() const {
    return session_.settings().sampling().error > 0 && !session_.renderer().false_color();
}

void SharedPicture::gather(bool at_all) {
    auto extent = session_.extent();
    auto pixels = static_cast<std::size_t>(extent.pixels());
    session_.film().exchange(session_.stream(), share_, [&](float* numbers, std::size_t count) {
        gather_shares(ranks_, extent, numbers, count / pixels);
        if (at_all) ranks_.broadcast(numbers, count * sizeof *numbers, 0);
    });
}

void SharedPicture::exchange_at_all() {
    gather(true);
    float n_stop = interrupted_() ? 1 : 0;
    ranks_.add(&n_stop, 1, -1);
    all_stopped_ = n_stop > 0;
    exchanged_at_ = session_.samples();
}

bool SharedPicture::stopped() const {
    return is_adaptive() ? all_stopped_ : interrupted_();
}

int SharedPicture::show(int spp) {
    // The number of unfinished pixels has to be known to all ranks at the same sample.
    if (is_adaptive()) session_.stream().synchronize();
    progress_.show(session_.samples() / double(spp));
    answer();
    return static_cast<int>(std::lround(progress_.mean() * spp));
}

std::vector<std::string> SharedPicture::bring_together(const std::string& text) {
    gather(false);
    return ranks_.gather(text);
}

std::optional<std::vector<std::uint32_t>> SharedPicture::collect() {
    if (is_adaptive()) {
        if (session_.samples() == 0 || exchanged_at_ != session_.samples()) return {};
        return std::vector(static_cast<std::size_t>(ranks_.size()), session_.samples());
    }
    constexpr char kRequest = 0;
    for (int rank = 1; rank < ranks_.size(); ++rank)
        ranks_.send(&kRequest, sizeof kRequest, rank, kSumsTag);
    std::vector<std::uint32_t> samples;
    for (auto& text : bring_together(std::to_string(session_.samples())))
        samples.push_back(static_cast<std::uint32_t>(std::stoul(text)));
    return samples;
}

void SharedPicture::answer() {
    while (!ranks_.is_root() && ranks_.find_message(kSumsTag)) {
        char request = 0;
        ranks_.receive(&request, sizeof request, 0, kSumsTag);
        (void)bring_together(std::to_string(session_.samples()));
    }
}

SharedPicture::End SharedPicture::finish(int spp, const std::function<void(int)>& wait) {
    bool is_cut = (interrupted_() || all_stopped_) &&
                  session_.samples() < static_cast<std::uint32_t>(spp) && !session_.finished();
    progress_.finish([&] {
        answer();
        if (ranks_.is_root()) wait(static_cast<int>(std::lround(progress_.mean() * spp)));
    });
    End end;
    for (auto& state :
         bring_together((is_cut ? "stopped " : "whole ") + std::to_string(session_.samples()))) {
        end.n_stopped += state.starts_with("stopped") ? 1 : 0;
        auto samples = std::stoul(state.substr(state.find(' ')));
        end.samples.push_back(static_cast<std::uint32_t>(samples));
    }
    return end;
}

}  // namespace tl
