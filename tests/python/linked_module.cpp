// An interpreter that has the Python module linked in, so that its tests need no second compilation
// of the solvers as a shared library. Usage: python_tests SCRIPT [ARGUMENTS], with the package's
// folder in PYTHONPATH.
#include <Python.h>

#include <vector>

extern "C" PyObject* PyInit__treelight();

int main(int argc, char** argv) {
    // Modules within the interpreter have no package; the script's import finds it in its own.
    char command[] = "-c";
    char code[] =
        "import runpy, sys, _treelight\n"
        "sys.modules['treelight._treelight'] = _treelight\n"
        "sys.argv = sys.argv[1:]\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n";
    if (argc < 2 || PyImport_AppendInittab("_treelight", &PyInit__treelight) != 0) return 2;
    std::vector<char*> arguments{argv[0], command, code};
    arguments.insert(arguments.end(), argv + 1, argv + argc);
    return Py_BytesMain(static_cast<int>(arguments.size()), arguments.data());
}
