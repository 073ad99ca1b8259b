package dev.quire.proxy.tls;

import dev.quire.proxy.fault.InternalErrors;
import dev.quire.proxy.tls.TlsEvents.Reload;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificates and ticket keys of this process. They outlive the generations of the
 * configuration. The files are read again periodically; what cannot be used changes nothing.
 * Thread-safe.
 */
public final class ServerTls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);

    private static final String VALID = "a valid certificate";

    /** Connections that have chosen an identity begin to use its context within this time. */
    private static final Duration RELEASE_AFTER = Duration.ofMinutes(1);

    private final Supplier<Instant> wall;
    private final TlsEvents events;

    /** Held while files are read, which may take long. */
    private final ReentrantLock reading = new ReentrantLock();

    /** The faults of the last time that the files were read, one line each. */
    private final Set<String> faults = new LinkedHashSet<>();

    /** Those of the time before. A fault is logged once as long as it lasts. */
    private Set<String> reported = Set.of();

    private final List<Retired> retired = new ArrayList<>();
    private volatile TlsIdentity.Terms terms = new TlsIdentity.Terms(TlsTerms.NONE, List.of());
    private volatile Map<Path, ServerCertificate> certificates = Map.of();
    private TicketKeys tickets = TicketKeys.random();
    private Instant rotated;

    /** Those of the certificates that were valid when they were last compared. */
    private Set<ServerCertificate> valid = Set.of();

    private volatile @Nullable Thread checking;
    private volatile Runnable whenChanged = () -> {};
    private volatile TlsIdentities identities = TlsIdentities.NONE;
    private volatile boolean isClosed;

    /** An identity that new connections do not get. */
    private record Retired(TlsIdentity identity, Instant since) {}

    /**
     * @param wall the time of day
     */
    public ServerTls(Supplier<Instant> wall, TlsEvents events) {
        this.wall = wall;
        this.events = events;
        this.rotated = wall.get();
    }

    /** Runs {@code action} whenever certificates or terms have changed. */
    public void onChange(Runnable action) {
        whenChanged = action;
    }

    /** Certificates and terms that are in use but may be taken back. */
    public interface Change {
        /** Ends the connections that are no longer allowed. */
        void commit();

        /** Uses those from before again, without their files. */
        void discard();
    }

    /**
     * Reads all files of {@code next} and uses them. Blocks.
     *
     * @throws UnusableFile if one cannot be used, or a certificate that is not valid would replace
     *     a valid one; then nothing has changed
     */
    public Change configure(TlsTerms next) throws UnusableFile {
        return configure(next, found -> found);
    }

    /**
     * As {@link #configure}, for terms that were used before: a certificate that is not valid
     * leaves the valid one of the same file in use.
     */
    public Change restore(TlsTerms next) throws UnusableFile {
        return configure(next, this::newer);
    }

    private Change configure(TlsTerms next, UnaryOperator<ServerCertificate> used)
            throws UnusableFile {
        reading.lock();
        try {
            var change = new Replaced(terms, certificates, tickets, rotated);
            if (next.sources().isEmpty() && terms.section().sources().isEmpty()) {
                return change;
            }
            var read = new LinkedHashMap<Path, ServerCertificate>();
            for (var source : next.sources()) {
                for (var pair : source.pairs()) {
                    var found = ServerCertificate.read(pair.certificate(), pair.key());
                    read.put(pair.certificate(), used.apply(found));
                }
            }
            var loss = loss(read.values(), wall.get());
            if (loss.isPresent()) {
                throw loss.get().fault();
            }
            var trust = next.clients().trust();
            var trusted =
                    trust.isPresent()
                            ? KeyPairFiles.authorities(trust.get())
                            : List.<X509Certificate>of();
            var keys = next.ticketKeys();
            if (keys.isPresent()) {
                tickets = TicketKeys.read(keys.get());
            } else if (terms.section().ticketKeys().isPresent()) {
                // The file may have been removed because others know its keys.
                tickets = TicketKeys.random();
                rotated = wall.get();
            }
            use(new TlsIdentity.Terms(next, trusted), read);
            certificates.values().forEach(this::warnIfInvalid);
            warnOfUnused();
            checkPeriodically();
            return change;
        } finally {
            endReading();
        }
    }

    /** The terms and certificates before a change. */
    private final class Replaced implements Change {
        private final TlsIdentity.Terms before;
        private final Map<Path, ServerCertificate> certificatesBefore;
        private final TicketKeys ticketsBefore;
        private final Instant rotatedBefore;

        Replaced(
                TlsIdentity.Terms before,
                Map<Path, ServerCertificate> certificatesBefore,
                TicketKeys ticketsBefore,
                Instant rotatedBefore) {
            this.before = before;
            this.certificatesBefore = certificatesBefore;
            this.ticketsBefore = ticketsBefore;
            this.rotatedBefore = rotatedBefore;
        }

        @Override
        public void commit() {
            whenChanged.run();
        }

        @Override
        public void discard() {
            reading.lock();
            try {
                tickets = ticketsBefore;
                rotated = rotatedBefore;
                use(before, certificatesBefore);
            } finally {
                endReading();
            }
        }
    }

    /** A name that has a valid certificate, and would only have one that is not. */
    private record Loss(String name, ServerCertificate invalid, String invalidity) {
        UnusableFile fault() {
            return new UnusableFile(
                    invalid.file(), invalidity + " and would replace a valid certificate", VALID);
        }
    }

    /** Returns the first loss if {@code next} replaced the certificates. */
    private Optional<Loss> loss(Collection<ServerCertificate> next, Instant now) {
        for (var each : next) {
            var invalidity = each.invalidity(now);
            if (invalidity.isPresent()) {
                for (var name : each.names()) {
                    if (hasValid(certificates.values(), name, now) && !hasValid(next, name, now)) {
                        return Optional.of(new Loss(name, each, invalidity.get()));
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static boolean hasValid(Collection<ServerCertificate> among, String name, Instant now) {
        return among.stream().anyMatch(each -> each.isValid(now) && each.covers(name));
    }

    private void warnIfInvalid(ServerCertificate certificate) {
        certificate
                .invalidity(wall.get())
                .ifPresent(invalidity ->
                        LOG.atWarn()
                                .addKeyValue("event", "certificate-invalid")
                                .log(
                                        "tls: the certificate in {} {}",
                                        certificate.file(),
                                        invalidity));
    }

    /** Settings that the TLS of the JDK does not have. */
    private void warnOfUnused() {
        boolean isUnused =
                terms.section().ticketKeys().isPresent()
                        || certificates.values().stream().anyMatch(ServerCertificate::isStapled);
        if (isUnused && TlsLibrary.provider() == SslProvider.JDK) {
            LOG.atWarn()
                    .addKeyValue("event", "no-boringssl")
                    .log("tls: OCSP responses and tickets.keys have no effect without BoringSSL");
        }
    }

    private void use(TlsIdentity.Terms nextTerms, Map<Path, ServerCertificate> next) {
        var now = wall.get();
        var before = identities;
        boolean isSameTerms = nextTerms.equals(terms);
        terms = nextTerms;
        certificates = next;
        var after =
                TlsIdentities.of(
                        next.values(),
                        isSameTerms ? before : TlsIdentities.NONE,
                        nextTerms,
                        tickets,
                        now);
        valid = valid(next, now);
        after.all().forEach(each -> each.use(tickets));
        identities = after;
        events.using(List.copyOf(next.values()));
        for (var each : before.all()) {
            if (!after.all().contains(each)) {
                retired.add(new Retired(each, now));
            }
        }
    }

    private static Set<ServerCertificate> valid(Map<Path, ServerCertificate> among, Instant now) {
        return among.values().stream()
                .filter(each -> each.isValid(now))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Releases the identities that were replaced long enough ago. */
    private void releaseRetired(Instant before) {
        for (var it = retired.iterator(); it.hasNext(); ) {
            var each = it.next();
            if (each.since().isBefore(before)) {
                it.remove();
                each.identity().release();
            }
        }
    }

    private void checkPeriodically() {
        if (checking == null && !terms.section().sources().isEmpty()) {
            checking =
                    Thread.ofPlatform()
                            .daemon()
                            .name("quire-tls-files")
                            .start(this::checkAgainAndAgain);
        }
    }

    private void checkAgainAndAgain() {
        var errors =
                new InternalErrors(LOG, "tls: the check of the files failed and will be repeated");
        try {
            while (true) {
                TimeUnit.NANOSECONDS.sleep(period().toNanos());
                try {
                    check();
                } catch (RuntimeException | Error bug) {
                    errors.add(bug);
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private Duration period() {
        return terms.section().checkEvery();
    }

    /**
     * Reads the files again and uses those that have changed. A fault is logged, and the
     * certificate from before remains. Blocks.
     *
     * @return the faults of all files, also of those that were logged before, one line each
     */
    public List<String> check() {
        boolean isChanged;
        List<String> found;
        reading.lock();
        try {
            reported = Set.copyOf(faults);
            faults.clear();
            releaseRetired(wall.get().minus(RELEASE_AFTER));
            isChanged = checkTickets();
            var read = validAgain();
            var trusted = authoritiesAgain();
            if (!read.equals(certificates) || !trusted.equals(terms.authorities())) {
                use(new TlsIdentity.Terms(terms.section(), trusted), read);
                events.reloaded(Reload.APPLIED);
                LOG.atInfo()
                        .addKeyValue("event", "certificates-changed")
                        .log(
                                "tls: certificates in use: {}, authorities of clients: {}",
                                read.values(),
                                trusted.size());
                isChanged = true;
            } else if (!valid(read, wall.get()).equals(valid)) {
                // One has expired, or is valid now: another one may be selected for its names.
                use(terms, read);
                isChanged = true;
            }
            found = List.copyOf(faults);
        } finally {
            endReading();
        }
        if (isChanged) {
            whenChanged.run();
        }
        return found;
    }

    private List<X509Certificate> authoritiesAgain() {
        var file = terms.section().clients().trust();
        if (file.isEmpty()) {
            return List.of();
        }
        try {
            return KeyPairFiles.authorities(file.get());
        } catch (UnusableFile unusable) {
            refused(unusable);
            return terms.authorities();
        }
    }

    /** A refused certificate keeps those from before that it would replace. The others are used. */
    private Map<Path, ServerCertificate> validAgain() {
        var now = wall.get();
        var read = readAgain();
        var loss = loss(read.values(), now);
        while (loss.isPresent()) {
            var name = loss.get().name();
            var refused = loss.get().invalid().file();
            refused(loss.get().fault());
            read.remove(refused);
            keep(
                    read,
                    each ->
                            each.file().equals(refused)
                                    || (each.isValid(now) && each.covers(name)));
            loss = loss(read.values(), now);
        }
        return read;
    }

    private void keep(Map<Path, ServerCertificate> in, Predicate<ServerCertificate> which) {
        certificates.values().stream().filter(which).forEach(each -> in.put(each.file(), each));
    }

    private Map<Path, ServerCertificate> readAgain() {
        var read = new LinkedHashMap<Path, ServerCertificate>();
        for (var source : terms.section().sources()) {
            var pairs = pairsAgain(source);
            if (pairs.isEmpty() && source instanceof CertificateSource.Folder in) {
                // It may be empty for the moment in which it is replaced.
                keep(
                        read,
                        each ->
                                each.file().startsWith(in.folder())
                                        && !read.containsKey(each.file()));
            }
            for (var pair : pairs) {
                var certificate = readAgain(pair);
                if (certificate != null) {
                    read.put(pair.certificate(), certificate);
                }
            }
        }
        if (read.isEmpty()) {
            read.putAll(certificates);
        }
        return read;
    }

    /** Returns none if they cannot be listed. */
    private List<CertificateSource.Pair> pairsAgain(CertificateSource source) {
        try {
            return source.pairs();
        } catch (UnusableFile unusable) {
            refused(unusable);
            return List.of();
        }
    }

    private @Nullable ServerCertificate readAgain(CertificateSource.Pair pair) {
        try {
            return newer(ServerCertificate.read(pair.certificate(), pair.key()));
        } catch (UnusableFile unusable) {
            refused(unusable);
            return certificates.get(pair.certificate());
        }
    }

    /** A certificate that is not valid never replaces a valid one. */
    private ServerCertificate newer(ServerCertificate found) {
        var present = certificates.get(found.file());
        var now = wall.get();
        var invalidity = found.invalidity(now);
        if (present != null && invalidity.isPresent() && present.isValid(now)) {
            refused(new UnusableFile(found.file(), invalidity.get(), VALID));
            return present;
        }
        return found;
    }

    private void refused(UnusableFile unusable) {
        var fault =
                "tls: %s, the one before stays in use (expected %s)"
                        .formatted(unusable.what(), unusable.expected());
        if (faults.add(fault) && !reported.contains(fault)) {
            events.reloaded(Reload.REFUSED);
            LOG.atWarn().addKeyValue("event", "certificate-refused").log("{}", fault);
        }
    }

    /** Returns whether other keys are used now. */
    private boolean checkTickets() {
        var next = tickets;
        var file = terms.section().ticketKeys();
        if (file.isPresent()) {
            try {
                next = TicketKeys.read(file.get());
            } catch (UnusableFile unusable) {
                refused(unusable);
            }
        } else if (!wall.get().isBefore(rotated.plus(terms.section().rotate()))) {
            next = tickets.rotated();
            rotated = wall.get();
        }
        if (next.isSame(tickets)) {
            return false;
        }
        tickets = next;
        var used = next;
        identities.all().forEach(each -> each.use(used));
        return true;
    }

    /** The identity for the name that a client sends, or null if its handshake must fail. */
    @Nullable TlsIdentity select(@Nullable String name) {
        return identities.select(name);
    }

    /**
     * Whether a connection with {@code identity} may go on: all its names still have a certificate,
     * and no more is asked of clients than was asked of this one.
     */
    public boolean allows(TlsIdentity identity) {
        var current = identities;
        for (var certificate : identity.certificates()) {
            if (!certificate.names().stream().allMatch(current::names)) {
                return false;
            }
        }
        return !identity.isLaxerThan(terms);
    }

    /** Whether the certificate of a client is valid now; one of a resumed session may not be. */
    boolean isValid(X509Certificate client) {
        try {
            client.checkValidity(Date.from(wall.get()));
            return true;
        } catch (CertificateException expired) {
            return false;
        }
    }

    /** Counts a handshake. */
    void completed(String version) {
        events.handshake(TlsEvents.Handshake.COMPLETED, version);
    }

    /** Counts a connection that ends before its handshake is complete. */
    public void failed(TlsEvents.Handshake reason) {
        events.handshake(reason, TlsEvents.NO_VERSION);
    }

    /** The certificates in use. */
    public Collection<ServerCertificate> certificates() {
        return new ArrayList<>(certificates.values());
    }

    /** Releases everything; no connection is left. Does not wait for a file that hangs. */
    @Override
    public void close() {
        isClosed = true;
        var thread = checking;
        if (thread != null) {
            thread.interrupt();
        }
        releaseAll();
    }

    private void endReading() {
        reading.unlock();
        if (isClosed) {
            releaseAll();
        }
    }

    /** Unless files are being read: then at the end of that. */
    private void releaseAll() {
        if (reading.tryLock()) {
            try {
                releaseRetired(Instant.MAX);
                identities.all().forEach(TlsIdentity::release);
                identities = TlsIdentities.NONE;
            } finally {
                reading.unlock();
            }
        }
    }
}
