#include "app/solve/form_factors/solve_form_factors.h"

#include "app/commands/commands.h"
#include "app/commands/value_option.h"
#include "app/jobs/output.h"
#include "app/solve/form_factors/form_factor_matrix.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/loaders/loader.h"
#include "solvers/dense/matrix_files.h"

namespace tl {
namespace {

struct SolveFormFactorsOptions {
    std::string scene, device = "auto", out;
    bool allow_outside = false;
    float time = 0;
    std::vector<int> pair;
    FormFactorSpec spec;
};

void solve_form_factors(SolveFormFactorsOptions& o) {
    if (!o.pair.empty()) o.spec.pair = {o.pair.at(0), o.pair.at(1)};
    check_form_factors(o.spec);
    if (!lower_case(o.out).ends_with(".npy"))
        throw UsageError("--out " + o.out + ": it is written as .npy; name it so");
    auto n = static_cast<std::uint64_t>(o.spec.samples);
    require_writable(o.out, n * n * sizeof(double));
    Device& device = find_device(o.device);
    auto scene = std::make_shared<const Scene>(load_scene(o.scene, "", o.allow_outside));
    auto stream = device.create_stream();
    auto block = make_form_factors(*stream, scene, o.time, o.spec);
    write_npy<double>(o.out, block.f.rows(), block.f.cols(), block.f.download(*stream));
    print("%s: %dx%d, clusters %d and %d of %d, %.2f radii apart, %.1f %% see each other\n",
          o.out.c_str(), block.f.rows(), block.f.cols(), block.pair.first, block.pair.second,
          o.spec.n_clusters, static_cast<double>(block.separation), 100 * block.visible);
}

}  // namespace

void add_solve_form_factors_command(CLI::App& solve) {
    auto o = std::make_shared<SolveFormFactorsOptions>();
    auto* command = solve.add_subcommand(
        "form-factors", "Form factors between two clusters of a scene's surface samples, as .npy");
    command->add_option("SCENE", o->scene, "scene file or generator")->required();
    add_outside_option(*command, o->allow_outside);
    command->add_option("--out", o->out, "file to write, .npy")->type_name("FILE")->required();
    add_value(*command, "--samples", o->spec.samples, "N", "samples of each cluster");
    add_value(*command, "--clusters", o->spec.n_clusters, "N",
              "number of clusters into which the surfaces are split; a power of two");
    auto* distance = add_value(*command, "--distance", o->spec.distance, "D",
                               "desired distance between the two clusters, in sums of their radii; "
                               "the nearest pair that sees at least half of each other is chosen");
    distance->check(between(0.0f, 1e6f));
    command
        ->add_option("--pair", o->pair,
                     "use these two clusters, counted from 0, instead of --distance")
        ->type_name("I,J")
        ->delimiter(',')
        ->expected(2)
        ->excludes(distance);
    command->add_option("--time", o->time, "moment of a scene that moves, seconds")
        ->type_name("S")
        ->check(between(0.0f, 1e6f));
    add_value(*command, "--seed", o->spec.seed, "K", "seed of the samples");
    add_device_option(*command, o->device);
    command->callback([o] { solve_form_factors(*o); });
}

}  // namespace tl
