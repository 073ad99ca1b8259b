package dev.quire.spring.internal.autoconfigure;

import dev.quire.spring.internal.assemble.Loopback;
import dev.quire.spring.internal.assemble.LoopbackValve;
import dev.quire.spring.internal.assemble.OwnServer;
import dev.quire.spring.internal.assemble.PeerAddressValve;
import dev.quire.spring.internal.assemble.TomcatServer;
import dev.quire.spring.internal.guard.SurrogateFilter;
import org.apache.catalina.valves.ValveBase;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;

/**
 * Preserves the peer address on Tomcat, independently of forwarding fields, and enables loopback
 * requests for fragments.
 */
@AutoConfiguration(after = QuireAutoConfiguration.class)
@ConditionalOnClass({ValveBase.class, ConfigurableTomcatWebServerFactory.class})
@ConditionalOnBean(SurrogateFilter.class)
public final class QuireTomcatAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "peerAddressCustomizer")
    WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> peerAddressCustomizer() {
        return factory -> factory.addEngineValves(new PeerAddressValve());
    }

    @Bean
    TomcatServer ownTomcatServer() {
        return new TomcatServer();
    }

    @Bean
    Loopback fragmentLoopback(OwnServer server) {
        return new Loopback(server);
    }

    @Bean
    WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> loopbackCustomizer(
            TomcatServer server, Loopback loopback) {
        return factory -> {
            factory.addEngineValves(new LoopbackValve(loopback));
            factory.addConnectorCustomizers(server::serves);
        };
    }
}
