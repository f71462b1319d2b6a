#include "renderer/scene/export/export_motion.h"

#include <algorithm>
#include <cmath>

#include "renderer/scene/export/export_nodes.h"

namespace tl {
namespace {

constexpr double kMostKeys = 1e6;  // of a track, with all of its rounds

/// The rounds of a motion: their number, and their length in the time of its keys.
struct Rounds {
    double count, length;

    Rounds(const Animation& animation, float duration)
        : count(animation.period > 0
                    ? std::max(1.0, std::round(double(duration) / double(animation.period)))
                    : 1),
          length(double(animation.period > 0 ? animation.period : duration)) {}
};

/// Appends the components of a value in the order of glTF.
void append_numbers(std::vector<float>& to, const vec3& v) {
    to.insert(to.end(), {v.x, v.y, v.z});
}
void append_numbers(std::vector<float>& to, const glm::quat& q) {
    to.insert(to.end(), {q.x, q.y, q.z, q.w});
}

/// A track with all rounds of a duration. Each round starts and ends with a key; where a round does
/// not end as it starts, the first key of the next comes a rounding step after the last.
template <class T>
class UnrolledTrack {
  public:
    UnrolledTrack(const Track<T>& source, const Rounds& rounds, double duration)
        : source_(source), is_cubic_(source.interpolation == Interpolation::cubic) {
        double per_round = duration / rounds.count;
        speed_ = rounds.length / per_round;
        for (double round = 0; round < rounds.count; ++round) {
            double start = round * per_round;
            hold(start, 0);
            for (std::size_t key = 0; key < source.times.size(); ++key)
                add(start + double(source.times[key]) / speed_, key, is_cubic_);
            hold(start + per_round, source.times.size() - 1);
        }
    }

    [[nodiscard]] const std::vector<float>& times() const { return times_; }
    [[nodiscard]] std::vector<float> numbers() const {
        std::vector<float> list;
        for (auto& value : values_) append_numbers(list, value);
        return list;
    }
    /// The value at time 0.
    [[nodiscard]] const T& first() const { return values_[is_cubic_ ? 1 : 0]; }

  private:
    static T zero() {
        if constexpr (std::is_same_v<T, vec3>)
            return vec3(0);
        else
            return glm::quat(0, 0, 0, 0);
    }

    [[nodiscard]] const T& value_of(std::size_t key) const {
        return source_.values[is_cubic_ ? 3 * key + 1 : key];
    }
    /// Adds a key at the start or end of a round, unless the track has an equal one at that time.
    void hold(double time, std::size_t key) {
        if (!times_.empty() && !(static_cast<float>(time) > times_.back()) &&
            last_value() == value_of(key))
            return;
        if (is_cubic_ && !values_.empty()) values_.back() = zero();  // its out-tangent
        add(time, key, false);
    }
    void add(double at, std::size_t key, bool with_tangents) {
        auto time = static_cast<float>(at);
        if (!times_.empty() && !(time > times_.back())) {
            if (last_value() == value_of(key)) {
                if (with_tangents) values_.back() = tangent(3 * key + 2);
                return;
            }
            time = std::nextafter(times_.back(), kInfinity);
        }
        times_.push_back(time);
        if (is_cubic_) values_.push_back(with_tangents ? tangent(3 * key) : zero());
        values_.push_back(value_of(key));
        if (is_cubic_) values_.push_back(with_tangents ? tangent(3 * key + 2) : zero());
    }
    [[nodiscard]] const T& last_value() const {
        return values_[values_.size() - (is_cubic_ ? 2 : 1)];
    }
    /// Tangent of a key, as change per second of the scene's time.
    [[nodiscard]] T tangent(std::size_t index) const {
        return source_.values[index] * static_cast<float>(speed_);
    }

    const Track<T>& source_;
    bool is_cubic_;
    double speed_ = 1;  ///< time of the keys per time of the scene
    std::vector<float> times_;
    std::vector<T> values_;
};

const char* name_of(Interpolation interpolation) {
    return interpolation == Interpolation::step    ? "STEP"
           : interpolation == Interpolation::cubic ? "CUBICSPLINE"
                                                   : "LINEAR";
}

/// One track of a joint, as a property of its node, and later as a channel that moves it.
struct MotionChannel {
    const char* property;
    int sampler;
};

template <class T>
void add_track(GlbWriter& file, const Track<T>& track, const char* property, const Rounds& rounds,
               float duration, Json& node, std::vector<MotionChannel>& channels) {
    if (track.times.empty()) return;
    UnrolledTrack<T> all(track, rounds, static_cast<double>(duration));
    std::vector<float> start;
    append_numbers(start, all.first());
    node[property] = json_numbers(start);
    int input = file.add_rows(all.times(), 1, AccessorUse::times);
    int output = file.add_rows(all.numbers(), T::length(), AccessorUse::values);
    channels.push_back(
        {property, file.channel_samplers.add({{"input", input},
                                              {"interpolation", name_of(track.interpolation)},
                                              {"output", output}})});
}

}  // namespace

bool is_exportable(const Animation& animation, float duration) {
    if (animation.kind != AnimationKind::rigid || !(duration > 0)) return false;
    constexpr double kRounding = 1e-5;
    Rounds rounds(animation, duration);
    for (auto& joint : animation.rigid.joints)
        for (auto* times : {&joint.translation.times, &joint.rotation.times, &joint.scale.times}) {
            if (times->empty()) continue;
            if (double(times->back()) > rounds.length * (1 + kRounding)) return false;
            if (double(times->size() + 2) * rounds.count > kMostKeys) return false;
        }
    return true;
}

int add_moving(GlbWriter& file, const Animation& animation, float duration, Json node) {
    Rounds rounds(animation, duration);
    int inner = add_placed(file, animation.rigid.rest, std::move(node));
    auto& joints = animation.rigid.joints;
    for (auto joint = joints.rbegin(); joint != joints.rend(); ++joint) {
        Json moving{{"children", Json::array({inner})}};
        std::vector<MotionChannel> channels;
        add_track(file, joint->translation, "translation", rounds, duration, moving, channels);
        add_track(file, joint->rotation, "rotation", rounds, duration, moving, channels);
        add_track(file, joint->scale, "scale", rounds, duration, moving, channels);
        inner = file.nodes.add(moving);
        for (auto& channel : channels)
            file.channels.add({{"sampler", channel.sampler},
                               {"target", {{"node", inner}, {"path", channel.property}}}});
        if (joint->placement != glm::dmat4(1))
            inner = add_placed(file, joint->placement, {{"children", Json::array({inner})}});
    }
    return inner;
}

}  // namespace tl
