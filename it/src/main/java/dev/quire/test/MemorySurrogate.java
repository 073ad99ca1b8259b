package dev.quire.test;

/** Assembles in memory, by the core's own parser, rules and assembler. */
final class MemorySurrogate implements Surrogate {

    MemorySurrogate(Application application, HandSetClock clock) {
        throw new UnsupportedOperationException(application.authority() + clock);
    }

    @Override
    public Assembled ask(Request request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void purgeTags(String... tags) {}

    @Override
    public void purge(String... targets) {}

    @Override
    public String name() {
        return "the assembler in memory";
    }

    @Override
    public boolean hasCache() {
        return true;
    }

    @Override
    public void close() {}
}
