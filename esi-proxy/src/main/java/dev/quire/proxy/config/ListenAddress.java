package dev.quire.proxy.config;

/** An address to listen on; its text is the one of the configuration. */
public sealed interface ListenAddress permits HostPort, UnixPath {

    String EXPECTED = HostPort.EXPECTED + ", or " + UnixPath.EXPECTED;

    /**
     * Parses the text of an address.
     *
     * @throws IllegalArgumentException if the text is malformed
     */
    static ListenAddress parse(String text) {
        return text.startsWith(UnixPath.PREFIX) ? UnixPath.parse(text) : HostPort.parse(text);
    }
}
