#include "solvers/minimal/shared_object.h"

#include <dlfcn.h>

#include "core/base/error.h"
#include "core/base/one_line.h"
#include "solvers/minimal/compiler.h"

namespace tl::minimal {

void SharedObject::Closer::operator()(void* handle) const {
    dlclose(handle);
}

SharedObject::SharedObject(const std::string& path)
    : path_(path), handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) {
        const char* why = dlerror();
        throw UserError(path + ": cannot be loaded: " + one_line(why ? why : "unknown error"));
    }
    auto& f = functions_;
    auto* sizes = static_cast<const int*>(symbol("treelight_sizes"));
    for (int* size : {&f.n_parameters, &f.n_unknowns, &f.n_solutions, &f.n_equations,
                      &f.n_coefficients, &f.n_rows, &f.n_reducible, &f.n_columns})
        *size = *sizes++;
    auto take = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol(name));
    };
    take(f.coefficients, "treelight_coefficients");
    take(f.fill, "treelight_fill");
    take(f.action, "treelight_action");
    take(f.unknowns, "treelight_unknowns");
    take(f.residuals, "treelight_residuals");
    f.summary = static_cast<const char*>(symbol("treelight_summary"));
    f.multiple = static_cast<const char*>(symbol("treelight_multiple"));
}

void* SharedObject::symbol(const char* name) const {
    void* found = dlsym(handle_.get(), name);
    if (!found)
        throw UserError(path_ + ": is no solver, since it has no " + name +
                        "; remove it, so that it is compiled again");
    return found;
}

void compile_shared_object(const std::string& text, const std::string& path,
                           const ProgressPoll& poll) {
    auto command = words_of_variable("CXX");
    if (command.empty()) command = {"c++"};
    for (auto* word :
         {"-std=c++17", "-O2", "-march=x86-64-v3", "-fPIC", "-shared", "-fvisibility=hidden", "-w"})
        command.emplace_back(word);
    compile_file({text, "solver.cpp", command, "install g++, or name a C++ compiler in CXX"}, path,
                 poll);
}

}  // namespace tl::minimal
