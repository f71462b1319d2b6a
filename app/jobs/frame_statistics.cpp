#include "app/jobs/frame_statistics.h"

#include <algorithm>
#include <numeric>

namespace tl {

void FrameStatistics::add_frame(float milliseconds) {
    frames_[static_cast<std::size_t>(next_)] = milliseconds;
    next_ = (next_ + 1) % kHistory;
    rate_.add_frame(static_cast<double>(milliseconds) / 1000);
    if (keep_all) all_frames_.push_back(milliseconds);
}

void FrameStatistics::restart() {
    if (keep_all) return;
    constexpr int kUnderWay = 3;
    stages_.clear();
    rays_per_frame = 0;
    stale_ = kUnderWay;
}

void FrameStatistics::add_stages(const StageTimer& timer, bool newest) {
    if (timer.frames() == collected_) return;
    collected_ = timer.frames();
    if (newest) stale_ = 0;
    if (stale_ > 0) {
        --stale_;
        return;
    }
    auto& latest = timer.latest();
    if (!std::ranges::equal(latest, stages_, {}, &StageTime::name, &Stage::name)) {
        std::vector<Stage> stages;
        for (auto& stage : latest) {
            // A stage keeps its history when other stages are added to or removed from the frame.
            auto known = std::ranges::find(stages_, stage.name, &Stage::name);
            if (known != stages_.end()) {
                stages.push_back(std::move(*known));
                known->name.clear();
            } else {
                stages.push_back({});
            }
            stages.back().name = stage.name;
            stages.back().kind = stage.kind;
        }
        stages_ = std::move(stages);
    }
    for (std::size_t i = 0; i < latest.size(); ++i) {
        auto& stage = stages_[i];
        stage.last = latest[i].milliseconds;
        if (keep_all || stage.history.size() < kHistory) {
            stage.history.push_back(stage.last);
        } else {
            stage.history[stage.next] = stage.last;
            stage.next = (stage.next + 1) % kHistory;
        }
        auto tail = stage.history.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                              stage.history.size(), kHistory));
        stage.mean = static_cast<float>(std::accumulate(tail, stage.history.end(), 0.0) /
                                        static_cast<double>(stage.history.end() - tail));
    }
}

float FrameStatistics::mean_of(StageKind kind) const {
    float mean = 0;
    for (auto& stage : stages_)
        if (stage.kind == kind) mean += stage.mean;
    return mean;
}

float FrameStatistics::mean_of(const std::string& name) const {
    auto stage = std::ranges::find(stages_, name, &Stage::name);
    return stage == stages_.end() ? 0 : stage->mean;
}

FrameStatistics::NewestRate FrameStatistics::rate_of_newest() const {
    constexpr float kWindow = 500;  // ms
    float total = 0;
    int count = 0;
    for (; count < kHistory && total < kWindow; ++count) {
        float frame =
            frames_[static_cast<std::size_t>((next_ - 1 - count + 2 * kHistory) % kHistory)];
        if (frame <= 0) break;
        total += frame;
    }
    if (!(total > 0)) return {};
    auto n = static_cast<float>(count);
    return {total / n, 1000 * n / total};
}

}  // namespace tl
