// Options of benchmarks whose defaults depend on the device. With the defaults, a benchmark on the
// CPU ends within a minute on two cores.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "core/base/math.h"
#include "core/device/device.h"

namespace tl {

/// A default for each kind of device.
template <class T>
struct DeviceDefault {
    T cpu, cuda;

    [[nodiscard]] const T& on(const Device& device) const {
        return device.kind() == DeviceKind::cuda ? cuda : cpu;
    }
    /// Sets `value` to the device's default if it equals T{}, as for an option that is not given.
    void fill(T& value, const Device& device) const {
        if (value == T{}) value = on(device);
    }
};

/// End of a help text with both defaults: "; default: 1920x1080 on a GPU, on the CPU 480x270".
[[nodiscard]] std::string words_of(const DeviceDefault<int>& by_device);
[[nodiscard]] std::string words_of(const DeviceDefault<Extent>& by_device);
[[nodiscard]] std::string words_of(const DeviceDefault<std::vector<int>>& by_device);
[[nodiscard]] std::string words_of(const DeviceDefault<std::vector<std::string>>& by_device);

/// Adds an option whose variable stays 0 unless it is given; DeviceDefault::fill() then sets it
/// once the device is known.
inline CLI::Option* add_by_device(CLI::App& command, const std::string& flag, int& variable,
                                  const DeviceDefault<int>& by_device, const char* type,
                                  const std::string& help) {
    return command.add_option(flag, variable, help + words_of(by_device))->type_name(type);
}

/// Number of repeats of each measurement of a benchmark.
struct BenchRepeats {
    int usual;            ///< where --repeat is not given
    int asked = 0;        ///< by --repeat; 0: not given
    double seconds = -1;  ///< by --seconds; below 0: not given

    static constexpr double kUsualSeconds = 1;

    [[nodiscard]] int count() const { return asked > 0 ? asked : usual; }
    /// Time limit of a measurement, in s, for WorkTimer. 0, none, where --repeat is given without
    /// --seconds.
    [[nodiscard]] double most_seconds() const {
        return seconds >= 0 ? seconds : asked > 0 ? 0 : kUsualSeconds;
    }
    /// Words for output: "median of 10", or "median of at most 10" where a time limit applies.
    [[nodiscard]] std::string words(const Device& device) const;
};
/// Adds --repeat and --seconds.
void add_repeat_options(CLI::App& command, BenchRepeats& repeats);

}  // namespace tl
