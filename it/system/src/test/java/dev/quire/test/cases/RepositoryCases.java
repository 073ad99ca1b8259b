package dev.quire.test.cases;

/** The cases in this repository. */
final class RepositoryCases {
    /** Relative to the module's folder, where its tests run. */
    static final String FILE = "src/test/resources/cases/esi-cases.jsonl";

    private RepositoryCases() {}
}
